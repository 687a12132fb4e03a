package demo

// place is where a request comes from, as the edge describes it.
type place struct {
	city, country, continent, timezone string
	// colo is the airport code of the edge location that answers.
	colo string
	// organization and network are the access provider's name and its number
	// of the range that RFC 5398 keeps for documentation.
	organization string
	network      int
	european     string
}

// agent is a program that sends requests.
type agent struct {
	userAgent string
	protocol  string
	// bot is the edge's score from 1 (a robot) to 99 (a person).
	bot int
}

// clientele is who sends requests: people with browsers and apps from all over
// the world, and servers.
type clientele struct {
	places   weighted[*place]
	browsers weighted[*agent]
	servers  weighted[*agent]
}

func clients() *clientele {
	all := &clientele{}
	all.places.add(9, &place{"Berlin", "DE", "EU", "Europe/Berlin", "TXL", "Example Telecom Germany", 64496, "1"})
	all.places.add(7, &place{"London", "GB", "EU", "Europe/London", "LHR", "Example Broadband UK", 64497, "0"})
	all.places.add(5, &place{"Paris", "FR", "EU", "Europe/Paris", "CDG", "Example Mobile France", 64498, "1"})
	all.places.add(8, &place{"New York", "US", "NA", "America/New_York", "EWR", "Example Cable", 64499, "0"})
	all.places.add(5, &place{"San Jose", "US", "NA", "America/Los_Angeles", "SJC", "Example Cloud", 64500, "0"})
	all.places.add(3, &place{"São Paulo", "BR", "SA", "America/Sao_Paulo", "GRU", "Exemplo Fibra", 64501, "0"})
	all.places.add(4, &place{"Mumbai", "IN", "AS", "Asia/Kolkata", "BOM", "Example Wireless India", 64502, "0"})
	all.places.add(3, &place{"Tokyo", "JP", "AS", "Asia/Tokyo", "NRT", "Example Net Japan", 64503, "0"})
	all.places.add(2, &place{"Sydney", "AU", "OC", "Australia/Sydney", "SYD", "Example Pacific", 64504, "0"})
	all.places.add(1, &place{"Lagos", "NG", "AF", "Africa/Lagos", "LOS", "Example West Africa", 64505, "0"})

	const macintosh = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) "
	const windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) "
	all.browsers.add(6, &agent{windows + "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/121.0.0.0 Safari/537.36", "HTTP/3", 97})
	all.browsers.add(4, &agent{macintosh + "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36", "HTTP/3", 98})
	all.browsers.add(4, &agent{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/604.1", "HTTP/2", 99})
	all.browsers.add(2, &agent{windows[:len(windows)-2] + "; rv:122.0) Gecko/20100101 Firefox/122.0", "HTTP/2", 96})
	all.browsers.add(3, &agent{"ExampleApp/4.12.0 (Android 14; okhttp/4.12.0)", "HTTP/2", 91})
	all.servers.add(4, &agent{"node-fetch/3.3.2", "HTTP/1.1", 31})
	all.servers.add(3, &agent{"Go-http-client/2.0", "HTTP/2", 28})
	all.servers.add(2, &agent{"python-requests/2.31.0", "HTTP/1.1", 22})
	all.servers.add(1, &agent{"curl/8.5.0", "HTTP/2", 12})
	return all
}
