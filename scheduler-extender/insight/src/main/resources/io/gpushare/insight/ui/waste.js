// What is wasted, as tables with the history of the last hours.

import { html, nothing, render, svg } from './lib/lit-html.js';
import { dashboard } from './grafana.js';
import { Filters } from './filters.js';
import { podButton } from './pod.js';
import { clock, count, duration, partly, size, sum } from './words.js';

const ROWS = 8;

const VIEWS = {
  namespaces: ['By namespace', (report) => report.namespaces],
  workloads: ['By workload', (report) => report.workloads],
  pods: ['Pods', (report) => report.pods],
};
const FIGURES = {
  allocatedBytes: ['Allocated', (row) => size(row.allocatedBytes)],
  usedBytes: ['Used', (row) => sum(row.usedBytes, partly(row))],
  unusedBytes: ['Unused', (row) => sum(row.unusedBytes, partly(row))],
  idleBytes: ['Idle', (row) => (row.idleSeconds === undefined ? sum(row.idleBytes, row.podsIdleUnknown > 0, '–') : duration(row.idleSeconds))],
  overBytes: ['Over its limit', (row) => sum(row.overBytes, partly(row), '–')],
};

/** A pod with the same figures as a group of pods has. */
function pod(of) {
  if (of.usedBytes === undefined) return { ...of, idleBytes: of.idleSeconds };
  return { ...of, unusedBytes: Math.max(0, of.allocatedBytes - of.usedBytes), overBytes: of.over ? of.usedBytes - of.allocatedBytes : 0, idleBytes: of.idleSeconds };
}

export class WasteTables {
  #box;
  #waste;
  #snapshot;
  #view = 'namespaces';
  #sort = 'unusedBytes';
  #all = false;
  // Its sums are in the head of the page: the cards come first.
  #open = false;

  /** @param snapshot has the address of Grafana */
  constructor(box, waste, snapshot) {
    this.#box = box;
    this.#waste = waste;
    this.#snapshot = snapshot;
  }

  #set(values) {
    if (values.view) this.#view = values.view;
    if (values.sort) this.#sort = values.sort;
    this.#all = values.all ?? false;
    this.draw();
  }

  draw() {
    const { report } = this.#waste;
    this.#box.hidden = !report || report.reporting === 0;
    if (this.#box.hidden) {
      return;
    }
    const [, rows] = VIEWS[this.#view];
    const all = rows(report).map((row) => (this.#view === 'pods' ? pod(row) : row)).sort((a, b) => (b[this.#sort] ?? -1) - (a[this.#sort] ?? -1));
    render(html`<details .open=${this.#open} @toggle=${(event) => { this.#open = event.target.open; }}>
      <summary><h2 id="waste-title">Waste</h2> <span class="facts">measured at ${clock(report.at)}: ${known(report.total)}${report.reporting < report.nodes ? `; usage is unknown on ${count(report.nodes - report.reporting, 'node')}` : ''}</span></summary>
      <div class="waste">
        <div class="tables">
          <p class="tabs">${Object.entries(VIEWS).map(([key, [text]]) => html`<button type="button" aria-pressed=${String(key === this.#view)} @click=${() => this.#set({ view: key })}>${text}</button>`)}</p>
          <div class="scroll" tabindex="0" role="group" aria-label="Waste"><table><thead><tr><th scope="col">${VIEWS[this.#view][0].replace('By n', 'N').replace('By w', 'W')}</th>${this.#view === 'pods' ? nothing : html`<th scope="col" class="number">Pods</th>`}
            ${Object.entries(FIGURES).map(([key, [text]]) => html`<th scope="col" class="number" aria-sort=${key === this.#sort ? 'descending' : nothing}><button type="button" @click=${() => this.#set({ sort: key })}>${text}${key === this.#sort ? ' ▾' : ''}</button></th>`)}${this.#snapshot.grafana ? html`<th scope="col">History</th>` : nothing}</tr></thead>
            <tbody>${all.slice(0, this.#all ? all.length : ROWS).map((row) => this.#row(row))}</tbody></table></div>
          ${all.length > ROWS ? html`<button type="button" class="more" @click=${() => this.#set({ all: !this.#all })}>${this.#all ? 'Fewer' : `All ${all.length}`}</button>` : nothing}
        </div>
        ${history(report.history, this.#snapshot.grafana)}
      </div></details>`, this.#box);
  }

  /** The dashboard of a pod, or of its namespace: a workload has no variable there. */
  #dashboard({ namespace, workload, name }) {
    return name
      ? dashboard(this.#snapshot.grafana, 'gpushare-workload', { namespace, pod: name }, 'Grafana', `Grafana: ${namespace}/${name}`)
      : dashboard(this.#snapshot.grafana, 'gpushare-workload', { namespace }, workload ? 'Namespace in Grafana' : 'Grafana', `${workload ? 'Namespace in ' : ''}Grafana: ${namespace}`);
  }

  #row(row) {
    const link = row.workload ? { pod: `${row.namespace}/${row.workload}` } : { namespace: row.namespace };
    const name = row.name ?? row.workload;
    const text = name ? html`<span class="facts">${row.namespace}/</span>${name}` : row.namespace;
    return html`<tr><th scope="row">${row.name ? podButton(row.namespace, row.name, text) : html`<a href=${Filters.link(link)}>${text}</a>`}${row.idle ? html` <b class="mark">idle</b>` : nothing}</th>
      ${row.pods === undefined ? nothing : html`<td class="number">${row.pods.toLocaleString('en')}</td>`}
      ${Object.values(FIGURES).map(([, text]) => html`<td class="number">${text(row)}</td>`)}${this.#snapshot.grafana ? html`<td>${this.#dashboard(row)}</td>` : nothing}</tr>`;
  }
}

/** The sums of the cluster as far as they are known. */
function known(total) {
  const idle = total.podsIdle || !total.podsIdleUnknown ? `, ${count(total.podsIdle, 'idle pod')}` : '';
  const unknown = total.podsIdleUnknown ? `, idle or not is unknown of ${count(total.podsIdleUnknown, 'pod')}` : '';
  return `${sum(total.unusedBytes, partly(total))} allocated and unused${idle}${unknown}`;
}

/** Allocated and used memory over the last hours. */
function history(samples, grafana) {
  const longer = dashboard(grafana, 'gpushare-cluster', {}, 'More in Grafana', 'More in Grafana: the cluster');
  if (samples.length < 2) {
    return html`<p class="history facts">The history of the last hours begins now. ${longer}</p>`;
  }
  const times = samples.map((sample) => Date.parse(sample.at));
  const [from, to] = [times[0], times.at(-1)];
  const top = Math.max(...samples.map((sample) => sample.capacityBytes)) || 1;
  const x = (time) => (300 * (time - from)) / (to - from || 1);
  const y = (bytes) => 90 - (86 * bytes) / top;
  const line = (key) => samples.map((sample, i) => `${x(times[i]).toFixed(1)},${y(sample[key]).toFixed(1)}`).join(' ');
  const last = samples.at(-1);
  const span = duration((to - from) / 1000);
  return html`<figure class="history"><figcaption class="facts">Last ${span}; at ${clock(last.at)}:
      <span class="l-allocated">allocated ${size(last.allocatedBytes)}</span>, <span class="l-used">used ${size(last.usedBytes)}</span> ${longer}</figcaption>
    ${svg`<svg viewBox="0 0 300 92" preserveAspectRatio="none" role="img" aria-label=${`Allocated and used memory of the last ${span}: ${size(last.allocatedBytes)} and ${size(last.usedBytes)} at ${clock(last.at)}`}>
      <polygon class="a-allocated" points=${`0,90 ${line('allocatedBytes')} 300,90`} />
      <polygon class="a-used" points=${`0,90 ${line('usedBytes')} 300,90`} />
      <polyline class="s-allocated" points=${line('allocatedBytes')} />
      <polyline class="s-used" points=${line('usedBytes')} /></svg>`}</figure>`;
}
