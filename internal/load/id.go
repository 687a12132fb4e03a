package load

import (
	"strconv"

	"github.com/google/uuid"

	"savedq/internal/logstore"
)

// derivedID is the id of an event that has none. It follows from the source, the
// event's place in its file and its bytes: loading the same file again, under
// whatever name or compression, finds the events already stored, while two equal
// events in one file stay two.
func derivedID(source logstore.Source, position int, raw []byte) string {
	namespace := uuid.NewSHA1(uuid.NameSpaceURL, []byte("savedq:event"))
	data := make([]byte, 0, len(source.Table)+len(raw)+24)
	data = append(data, source.Table...)
	data = append(data, '\n')
	data = strconv.AppendInt(data, int64(position), 10)
	data = append(data, '\n')
	data = append(data, raw...)
	return uuid.NewSHA1(namespace, data).String()
}
