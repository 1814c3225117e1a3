// A pod: what it is, holds and uses, why it waits, and commands for more.

import { html, nothing } from './lib/lit-html.js';
import { dashboard } from './grafana.js';
import { advice, obstacles } from './waiting.js';
import { age, count, duration, size } from './words.js';

/** A pod's name that opens its dialog; the name of a claim that no pod has, as it is. */
export function podButton(namespace, name, text) {
  if (name.startsWith('claim/')) {
    return html`<span title=${`No pod of this claim runs. kubectl describe resourceclaim -n ${namespace} ${name.slice(6)}`}>${text}</span>`;
  }
  return html`<button type="button" class="link" data-namespace=${namespace} data-pod=${name} aria-haspopup="dialog">${text}</button>`;
}

/**
 * The dialog's content.
 *
 * @param pod the response of `explain`
 * @param node the pod's node; undefined for none
 */
export function podView(pod, node, grafana) {
  const { namespace, name } = pod.pod;
  return html`<dl class="about">
      ${fact('Owner', pod.owner ?? 'none: nothing creates it again')}
      ${pod.demand ? fact('Requests', pod.demand) : nothing}
      ${fact('Age', html`<time datetime=${pod.created} title=${pod.created}>${age(pod.created)}</time>`)}
      ${pod.priority ? fact('Priority', pod.priority.toLocaleString('en')) : nothing}
      ${pod.node ? fact('Node', html`<button type="button" class="link" data-open=${pod.node}>${pod.node}</button>`) : nothing}
    </dl>
    ${dashboard(grafana, 'gpushare-workload', { namespace, pod: name }, 'History in Grafana', `History in Grafana: ${namespace}/${name}`)}
    ${pod.state === 'bound' ? html`${pod.sentence ? html`<p>${pod.sentence}</p>` : nothing}${cards(pod, node)}` : why(pod)}
    <section class="one"><h3>Commands</h3>${commands(pod).map(command)}</section>`;
}

const fact = (name, value) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

function cards(pod, node) {
  if (!pod.holds?.length) {
    return html`<p>Its card is unknown: it has no valid allocation annotation.</p>`;
  }
  return pod.holds.map((on) => {
    const model = node?.cards.find((card) => card.index === on.card)?.model;
    const unused = on.usedBytes === undefined ? 0 : Math.max(0, on.allocatedBytes - on.usedBytes);
    return html`<section class="one"><h3>Card ${on.card}${model ? `: ${model}` : ''} ${marks(on)}</h3><dl class="about">
      ${fact('Allocated', on.whole ? `the whole card, ${size(on.allocatedBytes)}` : `${size(on.allocatedBytes)}${on.coresCapPercent ?? on.coresPercent ? `, at most ${on.coresCapPercent ?? on.coresPercent}% of the cores` : ''}`)}
      ${fact('Used', on.usedBytes === undefined ? 'unknown' : html`${size(on.usedBytes)}${unused ? `, ${size(unused)} unused` : ''}`)}
      ${fact('Utilization', on.utilizationPercent === undefined ? `unknown. ${reason(on)}` : `${on.utilizationPercent}%`)}</dl></section>`;
  });
}

/** Why the utilization of a pod on a card is unknown. */
export const reason = (on) => on.utilizationUnknown ?? "The node's device plugin reports no usage.";

/** The unusual states of a pod on a card. */
export function marks(on) {
  return html`${on.over ? html` <b class="mark" title="uses more than it requested">▲ over its limit</b>` : nothing}${on.idle ? html` <b class="mark">idle for ${duration(on.idleSeconds)}</b>` : nothing}`;
}

function why(pod) {
  if (pod.state !== 'judged') {
    const words = {
      ended: pod.sentence ?? 'It has ended.', wrong: pod.sentence, gated: pod.sentence, leaving: pod.sentence,
      'no-demand': `It requests no GPU memory and no card. ${pod.sentence ?? ''}`,
    };
    return html`<p>${words[pod.state]}</p>`;
  }
  return html`<section class="one"><p>${pod.inPart && pod.feasibleNodes > 0
    ? `Enough is free on ${count(pod.feasibleNodes, 'node')}, if its claims may have it, which kube-scheduler alone can tell. ${pod.condition ?? ''}`
    : pod.feasibleNodes > 0 ? `By its cards it ${pod.gang ? 'alone ' : ''}fits on ${count(pod.feasibleNodes, 'node')}. If it still waits, ${pod.gang ? 'and not for its group, ' : ''}kube-scheduler has another reason, which is in its Events. ${pod.condition ?? ''}`
    : 'No node can take it now:'}</p>
    ${obstacles(pod.groups)}
    ${pod.advice.length ? html`<h3>What helps</h3>${advice(pod)}` : nothing}</section>
    <details class="one" .open=${pod.feasibleNodes > 0}><summary>Nodes and cards</summary><table><thead><tr><th scope="col">Node</th><th scope="col">Card</th><th scope="col">Why not</th></tr></thead><tbody>
    ${pod.nodes.flatMap((node) => node.cards.map((card, i) => html`<tr><td>${i === 0 ? node.name : ''}</td><td>${card.index}</td><td>${card.sentence}</td></tr>`))}
    </tbody></table></details>
    ${pod.next ? html`<p class="facts">The first ${pod.next} nodes; the last command shows all.</p>` : nothing}`;
}

function commands({ state, pod: { namespace, name } }) {
  return [
    ['Status and Events', `kubectl describe pod -n ${namespace} ${name}`],
    ...(state === 'bound' ? [['Output', `kubectl logs -n ${namespace} ${name}`], ['Usage', `kubectl gpushare top pods -n ${namespace}`]] : []),
    ...(state === 'judged' ? [['Every node', `kubectl gpushare why ${name} -n ${namespace} --limit 1000`]] : []),
  ];
}

/** A command with a button that copies it, where the browser lets a page copy: over TLS, and from this machine. */
function command([what, line]) {
  const copy = async ({ target }) => {
    await navigator.clipboard.writeText(line);
    target.textContent = 'Copied';
  };
  return html`<p class="command"><span class="facts">${what}</span> <code>${line}</code>${navigator.clipboard ? html`<button type="button" aria-label=${`Copy: ${line}`} @click=${copy}>Copy</button>` : nothing}</p>`;
}
