package live_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Names of the operator's guide, in whose place tests have their own.
const (
	documentedHost    = "savedq.example.com"
	documentedAddress = "127.0.0.1:8080"
)

// proxyProgram says how a proxy is run: with arguments, behind which stands the name of
// its configuration.
type proxyProgram struct {
	arguments []string
	// configure turns the documented configuration into one for the tests. directory holds
	// key.pem and certificate.pem, and receives access.log.
	configure func(documented, directory, address string) string
}

// nginxArguments stand before the name of the configuration.
func nginxArguments() []string { return []string{"-e", "stderr", "-c"} }

// configureNginx is for a process that does not leave the terminal, and may be run by
// anybody.
func configureNginx(documented, directory, address string) string {
	var configuration strings.Builder
	configuration.WriteString("daemon off;\nmaster_process off;\npid " + directory + "/pid;\nevents {}\nhttp {\n")
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		configuration.WriteString(kind + "_temp_path " + filepath.Join(directory, kind) + ";\n")
	}
	configuration.WriteString(strings.NewReplacer(
		"listen 443", "listen "+address,
		"/etc/ssl/savedq.pem", directory+"/certificate.pem",
		"/etc/ssl/private/savedq.key", directory+"/key.pem",
		"/var/log/nginx/savedq.log", directory+"/access.log",
	).Replace(documented))
	configuration.WriteString("}\n")
	return configuration.String()
}

// configureCaddy disables requests for certificates.
func configureCaddy(documented, directory, address string) string {
	return "{\n\tadmin off\n\tauto_https off\n}\n" + strings.NewReplacer(
		documentedHost+" {", documentedHost+portOf(address)+" {\n\tbind 127.0.0.1\n\ttls "+directory+"/certificate.pem "+directory+"/key.pem",
		"\tlog {", "\tlog {\n\t\toutput file "+directory+"/access.log",
	).Replace(documented)
}

// portOf is the port of an address, with its colon.
func portOf(address string) string {
	return address[strings.LastIndex(address, ":"):]
}

// proxied is a server behind a proxy.
type proxied struct {
	server *server
	client *http.Client
	// url has the port of the proxy, without which Caddy would not know the site.
	url string
	// directory has the proxy's own files.
	directory, accessLog string
}

// needProxy returns the path of a proxy's program, or skips the test if it is missing.
func needProxy(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed: what the operator's guide says of it is not tried", program)
	}
	return path
}

// startProxy runs a proxy in front of a server until the test ends.
func startProxy(t *testing.T, program string, run proxyProgram, s *server) *proxied {
	t.Helper()
	path := needProxy(t, program)
	directory, address := t.TempDir(), freeAddress(t)
	p := &proxied{
		server: s, client: throughProxy(certify(t, directory), address),
		url: "https://" + documentedHost + portOf(address), directory: directory, accessLog: filepath.Join(directory, "access.log"),
	}
	documented := strings.ReplaceAll(proxyBlock(t, program), documentedAddress, strings.TrimPrefix(s.url, "http://"))
	file := filepath.Join(directory, "configuration")
	require.NoError(t, os.WriteFile(file, []byte(run.configure(documented, directory, address)), 0o600))
	command := exec.Command(path, append(run.arguments, file)...)
	command.Env = append(os.Environ(), "HOME="+directory)
	stderr := &output{}
	command.Stderr = stderr
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		require.NoError(t, command.Process.Signal(syscall.SIGTERM))
		assert.NoError(t, command.Wait(), stderr)
	})
	require.Eventually(t, func() bool {
		response, _, err := p.ask(t, http.MethodGet, "/readyz", "", nil)
		return err == nil && response.StatusCode == http.StatusOK
	}, time.Minute, 10*time.Millisecond, stderr)
	return p
}

// log is what the proxy has logged; empty before it has.
func (p *proxied) log() string {
	text, _ := os.ReadFile(p.accessLog)
	return string(text)
}

// ask sends a request with a token through the proxy, and returns response and body.
func (p *proxied) ask(t *testing.T, method, path, body string, header map[string]string) (*http.Response, string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, p.url+path, strings.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("X-API-KEY", p.server.token)
	request.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := p.client.Do(request)
	if err != nil {
		return nil, "", err
	}
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response, string(text), nil
}

// proxyBlock is how the operator's guide configures a proxy.
func proxyBlock(t *testing.T, program string) string {
	t.Helper()
	for _, block := range blocks(t, filepath.Join(root, "docs", "operate", "proxy.md")) {
		if strings.HasPrefix(block.language, program) {
			return block.text
		}
	}
	require.Fail(t, "the operator's guide does not configure it", program)
	return ""
}

// freeAddress is one that nothing listens on. Another program could take it before
// the proxy does, which cannot say which port it got.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

// certify writes a key and its certificate for the documented host.
func certify(t *testing.T, directory string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: documentedHost}, DNSNames: []string{documentedHost},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	trusted := x509.NewCertPool()
	for file, block := range map[string]pem.Block{
		"certificate.pem": {Type: "CERTIFICATE", Bytes: certificate},
		"key.pem":         {Type: "PRIVATE KEY", Bytes: private},
	} {
		text := pem.EncodeToMemory(&block)
		trusted.AppendCertsFromPEM(text)
		require.NoError(t, os.WriteFile(filepath.Join(directory, file), text, 0o600))
	}
	return trusted
}

// throughProxy is a client that finds the documented host at an address. It neither
// requests content codings nor decodes them.
func throughProxy(trusted *x509.CertPool, address string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig:    &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:  true,
		DisableCompression: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}}
}
