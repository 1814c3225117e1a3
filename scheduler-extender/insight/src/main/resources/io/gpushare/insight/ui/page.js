// The page: its state, and the parts that draw it.

import { html, nothing, render } from './lib/lit-html.js';
import { Details, get, Snapshot, Waste } from './snapshot.js';
import { NodeList } from './nodes.js';
import { MANY, Overview } from './map.js';
import { Filters } from './filters.js';
import { WaitingPods } from './waiting.js';
import { drawHeader } from './header.js';
import { colour, colours, count } from './words.js';

const $ = (id) => document.getElementById(id);

// The names of the nodes with the pod of the filter; null without one.
let found = null;
let shades = new Map();
let marked = false;
let legendHasUsage = false;
// What the first view does not need is loaded after it.
let more = null;
let tables = null;

const details = new Details(() => {
  if (details.reportsUsage && !legendHasUsage) {
    legendHasUsage = true;
    draw();
  }
  list.soon();
  refreshDialog();
});
const list = new NodeList($('nodes'), details, (name) => openNode(name));
const overview = new Overview($('map'), (name) => list.reach(name));
const filters = new Filters(() => {
  draw();
  find();
});
const waste = new Waste(() => draw());
const waiting = new WaitingPods($('waiting'));
const snapshot = new Snapshot(() => {
  draw();
  find();
});

/** Finds the nodes of the pod: only the extender has the names of pods. */
async function find() {
  const pod = filters.sought;
  if (!pod && !found) return;
  try {
    const nodes = pod ? new Set((await get(`find?pod=${encodeURIComponent(pod)}`)).nodes) : null;
    if (pod === filters.sought) {
      found = nodes;
      draw();
    }
  } catch {
    // The snapshot reports the error; its next change tries again.
  }
}

async function dialog() {
  const { More } = await import('./more.js');
  more ??= new More($('more'));
  return more;
}

async function openNode(name) {
  const node = snapshot.nodes.get(name);
  if (node) {
    details.refresh([node]);
    (await dialog()).showNode(node, details.of(name), snapshot.grafana);
  }
}

async function openPod({ namespace, pod }) {
  (await dialog()).showPod(namespace, pod, (node) => snapshot.nodes.get(node), snapshot.grafana);
}

function refreshDialog() {
  const node = more?.node && snapshot.nodes.get(more.node);
  if (node) {
    more.showNode(node, details.of(more.node), snapshot.grafana);
  }
}

function draw() {
  const totals = snapshot.totals();
  shades = colours(totals.namespaces, shades);
  const nodes = filters.apply([...snapshot.nodes.values()], found, waste);
  drawHeader($('top'), snapshot, totals, waste);
  waiting.draw(snapshot.waiting);
  tables?.draw();
  filters.draw($('filters'), totals, legend(totals, nodes.length));
  document.body.classList.toggle('many', snapshot.nodes.size >= MANY);
  overview.show(nodes, filters.values.namespace);
  list.show(nodes, { colours: shades, sought: filters.sought, namespace: filters.values.namespace });
  drawNothing(nodes.length);
  refreshDialog();
  if (snapshot.loaded && !marked) {
    marked = true;
    // Once it is on the screen: after the current frame.
    requestAnimationFrame(() => setTimeout(() => {
      performance.mark('snapshot');
      showTheRest();
    }));
  }
}

async function showTheRest() {
  waiting.explains = true;
  waiting.draw(snapshot.waiting);
  try {
    const [{ WasteTables }] = await Promise.all([import('./waste.js'), import('./defrag.js'), dialog()]);
    tables = new WasteTables($('waste'), waste, snapshot);
    waste.follow();
  } catch {
    // The snapshot reports the error.
    setTimeout(showTheRest, 5000);
  }
}

function drawNothing(shown) {
  render(shown === 0 && snapshot.loaded && snapshot.nodes.size > 0
    ? html`No node matches these filters. <button type="button" @click=${() => filters.clear()}>Show all ${count(snapshot.nodes.size, 'node')}</button>`
    : snapshot.loaded && snapshot.nodes.size === 0 ? html`No node has cards yet. Label the GPU nodes with <code>gpushare=true</code>, and see the log of the device plugin there.` : nothing, $('nothing'));
}

function legend(totals, shown) {
  const named = [...shades.keys()].sort((a, b) => (totals.namespaces.get(b) ?? 0) - (totals.namespaces.get(a) ?? 0));
  const chosen = filters.values.namespace;
  return html`
    <p class="found" role="status">${shown === snapshot.nodes.size ? count(shown, 'node') : `${shown.toLocaleString('en')} of ${count(snapshot.nodes.size, 'node')}`}${snapshot.plainNodes ? `, ${snapshot.plainNodes.toLocaleString('en')} without cards` : ''}</p>
    <p class="legend namespaces">${named.map((name) => html`<button type="button" aria-pressed=${String(chosen === name)} title=${chosen === name ? 'Show all namespaces' : 'Show only this namespace'} @click=${() => filters.set({ namespace: chosen === name ? '' : name })}><i class=${colour(shades, name)}></i>${name}</button>`)}${totals.namespaces.size > named.length ? html`<span><i class="other"></i>others</span>` : nothing}${details.reportsUsage ? html`<span><i class="k-used"></i>line: used</span><span><i class="k-over-limit"></i>over its limit</span>` : nothing}</p>`;
}

$('skip').addEventListener('click', () => list.reach(list.first));
// Wherever the name of a pod, or of its node, is.
addEventListener('click', ({ target }) => {
  const { dataset } = target.closest?.('[data-pod], [data-open]') ?? {};
  if (dataset?.pod) openPod(dataset);
  else if (dataset) openNode(dataset.open);
});
// A figure or a row of waste filters the nodes, which may be below the screen.
addEventListener('click', (event) => {
  if (event.target.closest?.('#top a[href^="#"], #waste a[href^="#"]')) {
    requestAnimationFrame(() => $('filters').scrollIntoView());
  }
});
$('filters').addEventListener('submit', (event) => event.preventDefault());
addEventListener('keydown', (event) => {
  if (event.key === '/' && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName) && !$('more').open) {
    event.preventDefault();
    $('filters').querySelector('input').focus();
  }
});
// Usage changes without a change of allocation, and ages grow.
setInterval(() => {
  if (!document.hidden) {
    list.soon();
    more?.refreshPod();
    waiting.draw(snapshot.waiting);
    drawHeader($('top'), snapshot, snapshot.totals(), waste);
  }
}, 10000);

draw();
snapshot.follow();
