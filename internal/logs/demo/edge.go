package demo

import (
	"net/http"
	"strings"
)

// route is a kind of request that a project's clients send.
type route struct {
	method string
	// path may end with an asterisk, which stands for a name that each request
	// makes up.
	path   string
	search string
	// success is the status of a request that went well.
	success     int
	contentType string
	// origin is the median time that the service behind the edge takes, in
	// milliseconds.
	origin       float64
	clientErrors float64
}

// routes returns what is asked of a project, over all areas that
// usage.api-counts tells apart and some that it does not.
func routes(tables []string) weighted[route] {
	const jsonType = "application/json; charset=utf-8"
	var routes weighted[route]
	for i, table := range tables {
		rest := "/rest/v1/" + table
		busy := len(tables) - i
		routes.add(9*busy, route{
			method: http.MethodGet, path: rest, search: "?select=*&order=created_at.desc&limit=50",
			success: http.StatusOK, contentType: jsonType, origin: 22, clientErrors: 0.012,
		})
		routes.add(2*busy, route{
			method: http.MethodPost, path: rest,
			success: http.StatusCreated, contentType: jsonType, origin: 31, clientErrors: 0.04,
		})
		routes.add(2*busy, route{
			method: http.MethodPatch, path: rest, search: "?id=eq." + decimal(1000+37*i),
			success: http.StatusNoContent, contentType: jsonType, origin: 28, clientErrors: 0.03,
		})
	}
	routes.add(18, route{
		method: http.MethodPost, path: "/auth/v1/token", search: "?grant_type=refresh_token",
		success: http.StatusOK, contentType: "application/json", origin: 48, clientErrors: 0.05,
	})
	routes.add(5, route{
		method: http.MethodPost, path: "/auth/v1/token", search: "?grant_type=password",
		success: http.StatusOK, contentType: "application/json", origin: 130, clientErrors: 0.14,
	})
	routes.add(14, route{
		method: http.MethodGet, path: "/auth/v1/user",
		success: http.StatusOK, contentType: "application/json", origin: 18, clientErrors: 0.03,
	})
	routes.add(28, route{
		method: http.MethodGet, path: "/storage/v1/object/public/images/*", search: "?width=640&quality=80",
		success: http.StatusOK, contentType: "image/webp", origin: 65, clientErrors: 0.03,
	})
	routes.add(6, route{
		method: http.MethodPost, path: "/storage/v1/object/uploads/*",
		success: http.StatusOK, contentType: jsonType, origin: 210, clientErrors: 0.06,
	})
	routes.add(18, route{
		method: http.MethodGet, path: "/realtime/v1/websocket", search: "?vsn=1.0.0",
		success: http.StatusSwitchingProtocols, contentType: "text/plain", origin: 12, clientErrors: 0.02,
	})
	routes.add(14, route{
		method: http.MethodPost, path: "/functions/v1/heartbeat",
		success: http.StatusOK, contentType: "application/json", origin: 40, clientErrors: 0.01,
	})
	routes.add(7, route{
		method: http.MethodPost, path: "/graphql/v1",
		success: http.StatusOK, contentType: jsonType, origin: 36, clientErrors: 0.01,
	})
	routes.add(2, route{
		method: http.MethodGet, path: "/favicon.ico",
		success: http.StatusNotFound, contentType: "text/plain", origin: 3,
	})
	return routes
}

// serverErrors is the rate of 5xx answers of a healthy project.
const serverErrors = 0.004

// edgeRequest writes the requests that the edge saw (edge_logs), the records of
// usage.api-counts and the rows of logs.all.
func edgeRequest(clients *clientele) func(*scene) string {
	return func(s *scene) string {
		route := s.project.routes.draw(s.dice)
		place := clients.places.draw(s.dice)
		agents := &clients.browsers
		if s.dice.chance(0.15) {
			agents = &clients.servers
		}
		agent := agents.draw(s.dice)
		status := s.status(route.success, route.clientErrors, serverErrors)
		path := route.path
		if prefix, open := strings.CutSuffix(path, "*"); open {
			path = prefix + s.dice.hex(8) + ".webp"
		}
		url := "https://" + s.project.host + path + route.search
		address, ray := s.dice.address(), s.dice.hex(16)

		fields := &s.metadata
		fields.open("request")
		fields.open("cf")
		fields.text("asOrganization", place.organization)
		fields.number("asn", place.network)
		fields.open("botManagement")
		fields.number("score", agent.bot)
		fields.flag("verifiedBot", false)
		fields.close()
		fields.text("city", place.city)
		fields.text("colo", place.colo)
		fields.text("continent", place.continent)
		fields.text("country", place.country)
		fields.text("httpProtocol", agent.protocol)
		fields.text("isEUCountry", place.european)
		fields.text("timezone", place.timezone)
		fields.text("tlsVersion", "TLSv1.3")
		fields.close()
		fields.open("headers")
		fields.text("cf_connecting_ip", address)
		fields.text("cf_ipcountry", place.country)
		fields.text("cf_ray", ray)
		fields.text("user_agent", agent.userAgent)
		fields.close()
		fields.text("host", s.project.host)
		fields.text("method", route.method)
		fields.text("path", path)
		fields.text("protocol", "https:")
		if route.search != "" {
			fields.text("search", route.search)
		}
		fields.text("url", url)
		fields.close()
		fields.open("response")
		fields.open("headers")
		fields.text("cf_cache_status", s.cacheStatus(route))
		fields.text("content_length", decimal(int(s.dice.logNormal(1800, 1.1))))
		fields.text("content_type", route.contentType)
		fields.close()
		fields.number("origin_time", max(int(s.dice.logNormal(route.origin, 0.55)*s.slowdown()), 1))
		fields.number("status_code", status)
		fields.close()

		return route.method + " | " + decimal(status) + " | " + address + " | " + ray + " | " + url + " | " + agent.userAgent
	}
}

// cacheStatus returns what the edge's cache had to do with an answer: only
// images are kept there.
func (s *scene) cacheStatus(route route) string {
	if route.method != http.MethodGet || route.contentType != "image/webp" {
		return "DYNAMIC"
	}
	if s.dice.chance(0.7) {
		return "HIT"
	}
	return "MISS"
}
