// The head of the page: whether it is current, and the sums of the cluster, each a link that filters.

import { html, nothing, render } from './lib/lit-html.js';
import { Filters } from './filters.js';
import { allocation, clock, count, duration, partly, percent, sum } from './words.js';

const GIB = 2 ** 30;

/** The state of the page in words, and its CSS class. */
function status(snapshot) {
  if (snapshot.error) {
    const since = snapshot.heard ? ` This is the state of ${new Date(snapshot.heard).toLocaleTimeString()}, ${duration((Date.now() - snapshot.heard) / 1000)} ago.` : '';
    return ['lost', `No response: ${snapshot.error}. Retrying.${since}`];
  }
  if (snapshot.unready) return ['lost', snapshot.unready];
  return snapshot.loaded ? ['live', 'Live'] : ['lost', 'Loading …'];
}

function fact(label, number, values, kind) {
  return html`<div class=${`fact ${kind ?? ''} ${number ? '' : 'zero'}`}><dt>${label}</dt><dd>${values && number ? html`<a href=${Filters.link(values)}>${number.toLocaleString('en')}</a>` : number.toLocaleString('en')}</dd></div>`;
}

function figure(label, bytes, part, note, values, kind) {
  const text = sum(bytes, part, '0 GiB');
  return html`<div class=${`figure-of ${kind} ${bytes ? '' : 'zero'}`}><dt>${label}</dt><dd>${bytes ? html`<a href=${Filters.link(values)}>${text}</a>` : text}</dd>${note ? html`<dd class="note">${note}</dd>` : nothing}</div>`;
}

/** What of the memory is used, allocated in vain, free, and free in vain, as parts of one bar. */
function gauge(totals, report) {
  const all = totals.size * GIB || 1;
  const part = (bytes) => `width:${Math.max(0, Math.min(100, (100 * bytes) / all))}%`;
  if (!report?.reporting) {
    return html`<div class="gauge" aria-hidden="true"><i class="g-allocated" .style=${part(totals.allocated * GIB)}></i></div>`;
  }
  const unused = Math.min(report.total.unusedBytes ?? 0, totals.allocated * GIB);
  return html`<div class="gauge" aria-hidden="true"><i class="g-allocated" .style=${part(totals.allocated * GIB - unused)}></i><i class="g-unused" .style=${part(unused)}></i><i class="g-free" .style=${part(report.freeBytes - report.unusableBytes)}></i><i class="g-unusable" .style=${part(report.unusableBytes)}></i></div>`;
}

export function drawHeader(box, snapshot, totals, waste) {
  const { report } = waste;
  const [kind, words] = status(snapshot);
  document.body.classList.toggle('offline', snapshot.error !== '' && snapshot.loaded);
  const total = report?.total;
  const [some, all] = allocation(totals);
  const idle = total && [total.podsIdle ? count(total.podsIdle, 'pod') : '', total.podsIdleUnknown ? `${total.idleBytes ? 'unknown ' : ''}of ${count(total.podsIdleUnknown, 'pod')}` : ''].filter((note) => note).join('; ');
  render(html`
    <div class="title"><h1>GPU cards</h1><p class=${`status ${kind}`} role="status">${words}</p></div>
    <div class="total">
      <p><a href=${Filters.link({ state: 'allocated', order: 'full' })}><b>${some}</b> of ${all} allocated</a> <span>(${percent(totals.allocated, totals.size)})</span></p>
      ${gauge(totals, report)}
    </div>
    <dl class="facts-of">
      ${fact('nodes', snapshot.nodes.size, { order: 'name', name: '' })}${fact('cards', totals.cards)}${fact('shared', totals.shared, { state: 'shared' })}${fact('whole', totals.whole, { state: 'whole' })}${fact('free', totals.free, { state: 'free', order: 'free' })}
      ${fact('cordoned', totals.cordoned, { state: 'cordoned' }, 'warn')}${fact('unhealthy', totals.unhealthy, { state: 'unhealthy' }, 'bad')}${fact('over-committed', totals.over, { state: 'overcommitted' }, 'bad')}${fact('pods waiting', snapshot.waiting.count, undefined, 'warn')}
    </dl>
    ${report?.reporting ? html`<dl class="figures">
        ${figure('used', total.usedBytes, partly(total), '', { order: 'use', state: 'allocated' }, 'f-used')}
        ${figure('allocated, unused', total.unusedBytes, partly(total), '', { order: 'waste', state: 'unused' }, 'f-unused')}
        ${figure('idle for 30 min', total.idleBytes, total.podsIdleUnknown > 0, idle, { state: 'idle', order: 'waste' }, 'f-idle')}
        ${figure('free, unusable', report.unusableBytes, false, '', { state: 'unusable' }, 'f-unusable')}
        ${figure('over its limit', total.overBytes, partly(total), total.podsOver ? count(total.podsOver, 'pod') : '', { state: 'over' }, 'f-over')}
        <div class="figure-of when"><dt>measured at</dt><dd>${clock(report.at)}</dd></div>
      </dl>` : nothing}`, box);
}
