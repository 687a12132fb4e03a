// The backend of an app: it serves the page, and signs tokens for the user who is signed in.
// It needs nothing but Node.
import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { PORT = '3000', SAVEDQ_URL = 'http://127.0.0.1:8080' } = process.env;
const secret = readFileSync('jwt.secret', 'utf8').trim();

/** Who is signed in. An app takes this from its session, never from the request's parameters. */
const signedInUser = () => ({ id: 'user-1', project: 'acme' });

/** A JSON Web Token that lets a user see a project for five minutes. */
function sign({ id, project }) {
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: 'frontend-example', aud: 'savedq', sub: id, jti: randomUUID(), iat: now, exp: now + 300, project };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

const files = { '/': ['index.html', 'text/html'], '/app.js': ['app.js', 'text/javascript'] };

const server = createServer((request, response) => {
  if (request.url === '/token') {
    const body = JSON.stringify({ token: sign(signedInUser()), url: SAVEDQ_URL });
    response.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(body);
    return;
  }
  const [file, type] = files[request.url] ?? [];
  if (file === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` }).end(readFileSync(file));
});

server.listen(Number(PORT), '127.0.0.1', () => console.log(`http://127.0.0.1:${PORT}`));
