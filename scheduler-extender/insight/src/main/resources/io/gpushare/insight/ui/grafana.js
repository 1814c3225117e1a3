// Links to the dashboards of deploy/monitoring, where the extender has --grafana-url.

import { html, nothing } from './lib/lit-html.js';

/**
 * A link to the dashboard with that uid; nothing without Grafana.
 *
 * @param grafana its address, which ends with a slash; empty for none
 * @param variables the values of the dashboard's variables
 */
export function dashboard(grafana, uid, variables, text, label) {
  if (!grafana) return nothing;
  const query = new URLSearchParams(Object.entries(variables).map(([name, value]) => [`var-${name}`, value]));
  return html`<a class="grafana" href=${`${grafana}d/${uid}?${query}`} target="_blank" rel="noreferrer" aria-label=${label}>${text}</a>`;
}
