// The token for a view on its own port. Behind the API server's proxy the page requests it there, with the permissions of
// whoever runs `kubectl proxy`: a token of the account gpushare-viewer, which only the extender accepts.

const PROXY = /^(.*)\/api\/v1\/namespaces\/([^/]+)\/services\/[^/]+\/proxy\/ui\//;
const ACCOUNT = 'gpushare-viewer';
const SECONDS = 3600;
const ADVICE = 'Open this page through "kubectl proxy".';

let token = '';
let pending = null;

/** The headers of a request for the view. */
export function headers() {
  return token ? { 'X-Gpushare-Token': token } : {};
}

/** Requests another token, once for all requests that need it now. Throws an Error with a sentence for users. */
export function renew() {
  pending ??= request().finally(() => { pending = null; });
  return pending;
}

async function request() {
  const [, prefix, namespace] = PROXY.exec(location.pathname) ?? [];
  if (namespace === undefined) {
    throw new Error(`This extender needs a token. ${ADVICE}`);
  }
  const response = await fetch(`${prefix}/api/v1/namespaces/${namespace}/serviceaccounts/${ACCOUNT}/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: ['gpushare-view'], expirationSeconds: SECONDS } }),
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    throw new Error(`The API server gives no token of the account ${ACCOUNT}: ${answer.message ?? `status ${response.status}`}`);
  }
  token = answer.status.token;
}
