// Which few pods to move so that cards are free: asked only when a user opens it, because the search takes a while.

import { html, nothing, render } from './lib/lit-html.js';
import { podButton } from './pod.js';
import { get } from './snapshot.js';
import { count } from './words.js';

const section = document.getElementById('defrag');

function plan(each) {
  const subject = each.for ? `${each.for.namespace}/${each.for.name}: ` : '';
  if (each.state !== 'moves') {
    return html`<p>${subject}${each.state === 'not-needed' ? `fits on node ${each.node} without any move` : each.sentence}.</p>`;
  }
  return html`<p>${subject}moving <b>${count(each.pods, 'pod')}</b> ${each.for ? `makes it fit on node ${each.freed[0].node}` : `frees ${count(each.freed.length, 'whole card')}`}:</p>
    <table><thead><tr><th scope="col">Pod</th><th scope="col">Controller</th><th scope="col">Node</th><th scope="col">New node</th></tr></thead>
    <tbody>${each.freed.flatMap((freed) => freed.moves).map((move) => html`<tr><td>${podButton(move.namespace, move.name, `${move.namespace}/${move.name}`)}</td><td>${move.controller}</td><td>${move.from}</td><td>${move.to}</td></tr>`)}</tbody></table>`;
}

function draw(body) {
  render(html`<details @toggle=${ask}><summary><h2 id="defrag-title">Which few pods to move</h2></summary>${body}</details>`, section);
}

async function ask(event) {
  if (!event.target.open) return;
  draw(html`<p class="facts">…</p>`);
  try {
    const answer = await get('defrag');
    draw(html`${answer.plans.map(plan)}
      <p class="facts">Nothing is moved: <code>kubectl gpushare defrag</code> prints the commands that do it.${answer.budgetsChecked ? nothing : ' PodDisruptionBudgets were not checked.'}</p>`);
  } catch (problem) {
    draw(html`<p>${problem.message}</p>`);
  }
}

draw(nothing);
