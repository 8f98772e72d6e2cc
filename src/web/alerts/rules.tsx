import { useState } from 'preact/hooks'
import type { AlertReplay, AlertRule } from '../api/answers.ts'
import type { Resource } from '../api/use-resource.ts'
import { plural } from '../view/figures.ts'
import { LongList } from '../view/long-list.tsx'
import { ProblemNotice } from '../view/notice.tsx'
import { Time } from '../view/time.tsx'
import { conditionText, selectedText, stepsText } from './alert-text.ts'
import { ActionProblem, useAction } from './use-action.tsx'

const mostMessages = 1000
const shownMessages = 20

/** The rules, and how many messages each would have sent in 30 days. */
export function Rules({ of, rules }: { readonly of: Resource<readonly AlertRule[]>; readonly rules: readonly AlertRule[] }) {
  const [replay, setReplay] = useState<AlertReplay | null>(null)
  const asking = useAction()
  const ask = () =>
    asking.run(async (api, signal) => {
      setReplay(null)
      setReplay((await api.request<AlertReplay>({ path: `/v1/alerts/replay?limit=${mostMessages}` }, signal)).data)
    })
  return (
    <section class="panel" data-panel="rules" aria-busy={asking.isRunning}>
      <header>
        <h2>Rules</h2>
        <div class="actions">
          <button type="button" class="quiet-button" disabled={asking.isRunning} onClick={ask}>
            {asking.isRunning ? 'Replaying 30 days …' : 'What would they have sent in 30 days?'}
          </button>
        </div>
      </header>
      <ProblemNotice of={of} />
      <ActionProblem of={asking} />
      {replay?.notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      <LongList items={rules}>
        {(rule) => (
          <li key={rule.id}>
            <span class="alert-line-text">
              <b>{rule.id}</b> <span class="chip">{rule.severity}</span> when {conditionText(rule)}{' '}
              <span class="note">
                {selectedText(rule)} · {stepsText(rule)}
                {rule.remind !== null && ` · ${plural(rule.remind.times, 'reminder')}`}
              </span>
              {replay && <Replayed rule={rule} replay={replay} />}
            </span>
          </li>
        )}
      </LongList>
    </section>
  )
}

function Replayed({ rule, replay }: { rule: AlertRule; replay: AlertReplay }) {
  const count = replay.rules.find((each) => each.rule === rule.id)?.messages ?? 0
  const last = replay.messages.filter((message) => message.rule === rule.id).slice(-shownMessages)
  if (count === 0) return <p class="note">It would have sent nothing in 30 days.</p>
  return (
    <details class="replayed">
      <summary>It would have sent {plural(count, 'message')} in 30 days</summary>
      {count > last.length && <p class="note">The last {last.length}:</p>}
      <ol>
        {last.toReversed().map(({ at, channel, event, title, reason }, index) => (
          <li key={index}>
            <Time at={Date.parse(at)} /> <b>{channel}</b> <span class="chip">{event}</span> {title}
            {reason !== null && <span class="note"> {reason}</span>}
          </li>
        ))}
      </ol>
    </details>
  )
}
