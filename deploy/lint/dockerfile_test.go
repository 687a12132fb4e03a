package lint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/solver/pb"
	"github.com/opencontainers/go-digest"
	ocispecs "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// baseImages are the base images, as far as a lint needs them: they exist, and have
// an empty configuration. No registry is queried.
type baseImages []string

func (known baseImages) ResolveImageConfig(_ context.Context, reference string, _ sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	for _, image := range known {
		if strings.HasSuffix(reference, image) {
			return reference, "", []byte(`{"architecture":"amd64","os":"linux"}`), nil
		}
	}
	return "", "", nil, errors.New("no such image")
}

// lintDockerfile returns what BuildKit finds wrong with a Dockerfile: rules that are
// broken, and why it cannot be built.
func lintDockerfile(t *testing.T, dockerfile string) []string {
	t.Helper()
	platform := &ocispecs.Platform{OS: "linux", Architecture: "amd64"}
	options := dockerfile2llb.ConvertOpt{
		SourceMap:      llb.NewSourceMap(nil, "Dockerfile", "Dockerfile", []byte(dockerfile)),
		MetaResolver:   baseImages{"/golang:1.26-bookworm", "gcr.io/distroless/cc-debian12:nonroot"},
		TargetPlatform: platform,
	}
	options.SourceMap.Definition = &llb.Definition{}
	options.BuildPlatforms = []ocispecs.Platform{*platform}
	results, err := dockerfile2llb.DockerfileLint(t.Context(), []byte(dockerfile), options)
	require.NoError(t, err)
	var found []string
	for _, warning := range results.Warnings {
		found = append(found, fmt.Sprintf("line %d: %s: %s", firstLine(warning.Location), warning.RuleName, warning.Detail))
	}
	if results.Error != nil {
		found = append(found, results.Error.Message)
	}
	return found
}

func firstLine(location *pb.Location) int32 {
	if len(location.GetRanges()) == 0 {
		return 0
	}
	return location.GetRanges()[0].GetStart().GetLine()
}

// BuildKit can build the image, and none of its rules is broken.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	dockerfile, err := os.ReadFile("../Dockerfile")
	require.NoError(t, err)
	assert.Empty(t, lintDockerfile(t, string(dockerfile)))
}

// The lint above finds what there is to find.
func TestDockerfileLintFinds(t *testing.T) {
	t.Parallel()
	dockerfile, err := os.ReadFile("../Dockerfile")
	require.NoError(t, err)
	for name, test := range map[string]struct{ old, broken, want string }{
		"an unknown instruction": {"EXPOSE 8080", "EXPOSES 8080", "unknown instruction: EXPOSES"},
		"a stage there is not":   {"--from=build /out/savedq", "--from=builder /out/savedq", "builder: no such image"},
		"an image there is not":  {"cc-debian12:nonroot", "cc-debian11:nonroot", "no such image"},
		"the form of a shell":    {`CMD ["serve"]`, `CMD serve`, "JSONArgsRecommended"},
		"a secret":               {"ENV SAVEDQ_ADDR=0.0.0.0:8080", "ENV SAVEDQ_TOKEN=secret", "SecretsUsedInArgOrEnv"},
		"mixed letter case":      {"USER 65532", "user 65532", "ConsistentInstructionCasing"},
		"two commands":           {`CMD ["serve"]`, "CMD [\"serve\"]\nCMD [\"check\"]", "MultipleInstructionsDisallowed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, string(dockerfile), test.old)
			found := lintDockerfile(t, strings.Replace(string(dockerfile), test.old, test.broken, 1))
			assert.Contains(t, strings.Join(found, "\n"), test.want)
		})
	}
}
