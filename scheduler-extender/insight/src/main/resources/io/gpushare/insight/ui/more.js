// The dialog: a node with its cards and pods, or one pod.

import { html, nothing, render } from './lib/lit-html.js';
import { dashboard } from './grafana.js';
import { get } from './snapshot.js';
import { states } from './nodes.js';
import { marks, podButton, podView, reason } from './pod.js';
import { allocated, amount, count, measured, size } from './words.js';

// A pod that has not computed for so many seconds is idle, as for the extender.
const IDLE = 1800;
const bytes = (used) => (used === undefined ? '–' : size(used));

export class More {
  #dialog;
  #node = '';
  // The pod that is shown or being fetched; null for none.
  #pod = null;
  #title = '';

  constructor(dialog) {
    this.#dialog = dialog;
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog || event.target.closest('.close')) dialog.close();
    });
    dialog.addEventListener('close', () => { this.#shows('', null); });
  }

  /** The name of the node that is shown; empty for none. */
  get node() {
    return this.#node;
  }

  #shows(node, pod) {
    this.#node = node;
    this.#pod = pod;
  }

  #show(title, body) {
    render(html`<div class="sheet"><div class="sheet-head"><h2 id="more-title">${title}</h2>
      <button type="button" class="close" aria-label="Close">✕</button></div>${body}</div>`, this.#dialog);
    if (!this.#dialog.open) this.#dialog.showModal();
    // What had the focus is gone with what was shown before.
    else if (title !== this.#title) this.#dialog.querySelector('.close').focus();
    this.#title = title;
  }

  showNode(node, details, grafana) {
    this.#shows(node.name, null);
    this.#show(node.name, html`
      <p class="facts">${details?.address ? html`${details.address} · ` : nothing}${count(node.cards.length, 'card')} · ${allocated(node)} allocated${node.claims ? ' · serves claims' : ''}${node.unusable ? html` · <b>${node.unusable}</b>` : nothing} ${dashboard(grafana, 'gpushare-node', { node: node.name }, 'History in Grafana', `History in Grafana: node ${node.name}`)}</p>
      ${usage([...details?.cards.values() ?? []])}
      ${node.cards.map((card) => {
        const one = details?.cards.get(card.index);
        const unusual = states(card);
        return html`<section class="one"><h3>Card ${card.index}: ${card.model} ${unusual.length ? html`<b class="mark">${unusual.join(', ')}</b>` : nothing}</h3>
          <p class="facts"><code>${one?.uuid ?? ''}</code> · ${allocated(card)} allocated${one?.usedBytes === undefined ? nothing : `, ${size(one.usedBytes)} used`}${one?.headroomMiB ? `, ${size(one.headroomMiB * 2 ** 20)} kept for the driver and the isolation` : nothing}</p>
          ${one?.pods.length ? pods(one, node.unit) : nothing}
        </section>`;
      })}`);
  }

  /** @param node a function that returns a node of the snapshot by its name */
  async showPod(namespace, name, node, grafana) {
    this.#shows('', { namespace, name, node, grafana });
    this.#show(`${namespace}/${name}`, html`<p class="facts">…</p>`);
    await this.refreshPod();
  }

  /** Fetches the pod that is shown, if one is. */
  async refreshPod() {
    const shown = this.#pod;
    if (!shown) return;
    const { namespace, name, node, grafana } = shown;
    let body;
    try {
      const pod = await get(`explain?namespace=${encodeURIComponent(namespace)}&pod=${encodeURIComponent(name)}&limit=25`);
      body = podView(pod, node(pod.node), grafana);
    } catch (problem) {
      body = html`<p>${problem.message}</p>`;
    }
    // It may be closed by now, or show something else.
    if (this.#pod === shown) this.#show(`${namespace}/${name}`, body);
  }
}

/** What is measured of each card. */
function usage(cards) {
  const figures = ['usedBytes', 'utilizationPercent', 'temperatureCelsius', 'powerWatts'];
  if (!cards.some((card) => figures.some((figure) => card[figure] !== undefined))) return nothing;
  return html`<table class="usage"><caption class="unseen">Measured usage</caption><thead><tr>${['Card', 'Used', 'Util', 'Temp', 'Power'].map((head) => html`<th scope="col" class="number">${head}</th>`)}</tr></thead>
    <tbody>${cards.map((card) => html`<tr><th scope="row" class="number">${card.index}</th><td class="number">${bytes(card.usedBytes)}</td><td class="number">${measured(card.utilizationPercent, '%')}</td><td class="number">${measured(card.temperatureCelsius, ' °C')}</td><td class="number">${measured(card.powerWatts, ' W')}</td></tr>`)}</tbody></table>`;
}

/** The pods of a card. */
function pods(card, unit) {
  const caps = card.pods.some((pod) => pod.coresCapPercent);
  const reports = card.usedBytes !== undefined || card.pods.some((pod) => pod.usedBytes !== undefined || pod.utilizationPercent !== undefined);
  const unknown = reports ? [...new Set(card.pods.filter((pod) => pod.utilizationPercent === undefined).map(reason))] : [];
  return html`<table><thead><tr><th scope="col">Namespace</th><th scope="col">Pod</th><th scope="col" class="number">Allocated</th>${caps ? html`<th scope="col" class="number" title="of the cores, at most">Cores</th>` : nothing}${reports ? html`<th scope="col" class="number">Used</th><th scope="col" class="number">Util</th><th scope="col"><span class="unseen">State</span></th>` : nothing}</tr></thead>
    <tbody>${card.pods.map((pod) => html`<tr><td>${pod.namespace}</td><td>${podButton(pod.namespace, pod.name, pod.name)}</td><td class="number">${pod.whole ? 'whole' : `${amount(pod.units * unit)} GiB`}</td>${caps ? html`<td class="number">${pod.coresCapPercent ? `${pod.coresCapPercent}%` : '–'}</td>` : nothing}${reports ? html`<td class="number">${pod.usedBytes === undefined ? 'unknown' : size(pod.usedBytes)}</td><td class="number">${pod.utilizationPercent === undefined ? html`<span title=${reason(pod)}>unknown</span>` : `${pod.utilizationPercent}%`}</td><td>${marks({ idle: pod.idleSeconds >= IDLE, ...pod, over: !pod.whole && pod.usedBytes / 2 ** 30 > pod.units * unit })}</td>` : nothing}</tr>`)}</tbody></table>${unknown.map((why) => html`<p class="facts">Utilization unknown: ${why}</p>`)}`;
}
