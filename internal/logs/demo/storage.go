package demo

import "net/http"

// storageLine writes the log lines of the object store (storage_logs).
func storageLine() func(*scene) string {
	return func(s *scene) string {
		requestID := s.dice.hex(16) + "-FRA"
		level := "info"
		var message string
		switch s.dice.IntN(10) {
		case 0, 1:
			message = "content-type is " + pick(s.dice, []string{"image/png", "image/webp", "application/pdf", "text/plain;charset=UTF-8"})
		case 2, 3, 4:
			message = s.storageRequest(http.MethodPost, "/object/uploads/", requestID, &level)
		default:
			message = s.storageRequest(http.MethodGet, "/object/public/images/", requestID, &level)
		}

		fields := &s.metadata
		fields.open("context")
		fields.text("host", "ip-192-0-2-"+decimal(s.dice.between(10, 25))+".eu-central-1.compute.internal")
		fields.number("pid", 1)
		fields.close()
		fields.text("level", level)
		fields.text("project", s.project.name)
		fields.text("reqId", requestID)
		fields.text("tenantId", s.project.name)

		return message
	}
}

// storageRequest returns the line of a request that the object store answered,
// and raises the level where it failed.
func (s *scene) storageRequest(method, folder, requestID string, level *string) string {
	status := s.status(http.StatusOK, 0.04, serverErrors)
	if status >= http.StatusBadRequest {
		*level = "error"
	}
	return method + " | " + decimal(status) + " | " + s.dice.address() + " | " + requestID + " | " + folder + s.dice.hex(8) + ".webp"
}
