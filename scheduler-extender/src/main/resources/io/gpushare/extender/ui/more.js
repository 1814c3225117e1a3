// The dialogs: a node with its pods, and why a pod waits.

import { html, nothing, render } from './lib/lit-html.js';
import { dashboard } from './grafana.js';
import { get } from './snapshot.js';
import { states } from './nodes.js';
import { advice, obstacles } from './waiting.js';
import { amount, count, duration, size } from './words.js';

const measured = (bytes) => (bytes === undefined ? '–' : size(bytes));
// A pod that has not computed for so many seconds is idle, as for the extender.
const IDLE = 1800;

export class More {
  #dialog;
  #node = '';

  constructor(dialog) {
    this.#dialog = dialog;
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog || event.target.closest('.close')) dialog.close();
    });
    dialog.addEventListener('close', () => { this.#node = ''; });
  }

  /** The name of the node that is shown; empty for none. */
  get node() {
    return this.#node;
  }

  #show(title, body) {
    render(html`<div class="sheet"><div class="sheet-head"><h2 id="more-title">${title}</h2>
      <button type="button" class="close" aria-label="Close">✕</button></div>${body}</div>`, this.#dialog);
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  showNode(node, details, grafana) {
    this.#node = node.name;
    this.#show(node.name, html`
      <p class="facts">${details?.address ? html`${details.address} · ` : nothing}${count(node.cards.length, 'card')} · ${amount(node.allocated)} of ${amount(node.size)} GiB allocated${node.unusable ? html` · <b>${node.unusable}</b>` : nothing} ${dashboard(grafana, 'gpushare-node', { node: node.name }, 'History in Grafana', `History in Grafana: node ${node.name}`)}</p>
      ${node.cards.map((card) => {
        const one = details?.cards.get(card.index);
        const unusual = states(card);
        const reports = one?.usedBytes !== undefined || one?.pods.some((pod) => pod.usedBytes !== undefined);
        return html`<section class="one"><h3>Card ${card.index}: ${card.model} ${unusual.length ? html`<b class="mark">${unusual.join(', ')}</b>` : nothing}</h3>
          <p class="facts"><code>${one?.uuid ?? ''}</code> · ${amount(card.allocated)} of ${amount(card.size)} GiB allocated${one?.usedBytes === undefined ? nothing : `, ${size(one.usedBytes)} used`}</p>
          ${one?.pods.length ? html`<table><thead><tr><th scope="col">Namespace</th><th scope="col">Pod</th><th scope="col" class="number">GiB</th>${reports ? html`<th scope="col" class="number">Used</th>` : nothing}</tr></thead>
            <tbody>${one.pods.map((pod) => html`<tr><td>${pod.namespace}</td><td>${pod.name}</td><td class="number">${pod.whole ? 'whole' : amount(pod.units * node.unit)}</td>${reports ? html`<td class="number">${measured(pod.usedBytes)}${!pod.whole && pod.usedBytes / 2 ** 30 > pod.units * node.unit ? html` <b class="mark" title="uses more than it requested">▲ over its limit</b>` : nothing}${pod.idleSeconds >= IDLE ? html` <b class="mark">idle for ${duration(pod.idleSeconds)}</b>` : nothing}</td>` : nothing}</tr>`)}</tbody></table>` : nothing}
        </section>`;
      })}`);
  }

  async showPod(namespace, name) {
    this.#node = '';
    const title = `${namespace}/${name}`;
    this.#show(title, html`<p class="facts">…</p>`);
    try {
      const why = await get(`explain?namespace=${encodeURIComponent(namespace)}&pod=${encodeURIComponent(name)}&limit=25`);
      this.#show(title, this.#why(why));
    } catch (problem) {
      this.#show(title, html`<p>${problem.message}</p>`);
    }
  }

  #why(why) {
    if (why.state !== 'judged') {
      const words = {
        bound: html`It is on node ${why.node}.`, ended: why.sentence ?? 'It has ended.', wrong: why.sentence,
        'no-demand': `It requests no GPU memory and no card. ${why.sentence ?? ''}`,
      };
      return html`<p>${words[why.state]}</p>`;
    }
    return html`<p>It requests ${why.demand}. ${why.feasibleNodes > 0
      ? html`By its cards it fits on ${count(why.feasibleNodes, 'node')}; kube-scheduler has another reason: <code>kubectl describe pod -n ${why.pod.namespace} ${why.pod.name}</code>`
      : 'No node can take it now:'}</p>
      ${obstacles(why.groups)}
      ${why.advice.length ? html`<h3>What helps</h3>${advice(why)}` : nothing}
      <details class="one" .open=${why.feasibleNodes > 0}><summary>Nodes and cards</summary><table><thead><tr><th scope="col">Node</th><th scope="col">Card</th><th scope="col">Why not</th></tr></thead><tbody>
      ${why.nodes.flatMap((node) => node.cards.map((card, i) => html`<tr><td>${i === 0 ? node.name : ''}</td><td>${card.index}</td><td>${card.sentence}</td></tr>`))}
      </tbody></table></details>
      ${why.next ? html`<p class="facts">The first ${why.next} nodes; all of them: <code>kubectl gpushare why ${why.pod.name} -n ${why.pod.namespace} --limit 1000</code></p>` : nothing}`;
  }
}
