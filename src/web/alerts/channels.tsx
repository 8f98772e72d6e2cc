import { useState } from 'preact/hooks'
import type { AlertChannel, ChannelTest, State } from '../api/answers.ts'
import type { Resource } from '../api/use-resource.ts'
import { LongList } from '../view/long-list.tsx'
import { ProblemNotice } from '../view/notice.tsx'
import { StateMark } from '../view/state.tsx'
import { Time } from '../view/time.tsx'
import { ActionProblem, useAction } from './use-action.tsx'

type ChannelsProps = {
  readonly of: Resource<readonly AlertChannel[]>
  readonly channels: readonly AlertChannel[]
  readonly mayOperate: boolean
}

/** The channels and whether they accept messages. */
export function Channels({ of, channels, mayOperate }: ChannelsProps) {
  return (
    <section class="panel" data-panel="channels">
      <header>
        <h2>Channels</h2>
        <span class="note">delivery status of the last message</span>
      </header>
      <ProblemNotice of={of} />
      <LongList items={channels}>{(channel) => <ChannelLine key={channel.channelId} channel={channel} mayOperate={mayOperate} />}</LongList>
    </section>
  )
}

type Health = NonNullable<AlertChannel['health']>

const marks: Readonly<Record<Health['state'], { readonly state: State; readonly word: string }>> = {
  ok: { state: 'passing', word: 'works' },
  failing: { state: 'degraded', word: 'failing' },
  broken: { state: 'failing', word: 'broken' },
}

function ChannelMark({ health }: Pick<AlertChannel, 'health'>) {
  return health === null ? <StateMark state="unknown" word="not used yet" /> : <StateMark {...marks[health.state]} />
}

function ChannelLine({ channel, mayOperate }: { channel: AlertChannel; mayOperate: boolean }) {
  const { channelId, name, channelType, config, health } = channel
  const action = useAction()
  const [tested, setTested] = useState('')
  const test = () => {
    setTested('')
    void action.run(async (api, signal) => {
      const path = `/v1/alert-channels/${encodeURIComponent(channelId)}/test`
      const { outcome, answer } = (await api.request<ChannelTest>({ method: 'POST', path }, signal)).data
      setTested(
        `${outcome === 'delivered' ? 'The test was delivered' : outcome === 'broken' ? 'The channel is broken' : 'The test was not delivered'}: ${answer}`,
      )
    })
  }
  return (
    <li>
      <span class="alert-line-text">
        <b>{name}</b> <ChannelMark health={health} />{' '}
        <span class="note">
          {channelType}
          {typeof config.address === 'string' && `, ${config.address}`}
        </span>
        {health !== null && (
          <span class="note alert-answer">
            {health.answer}, <Time at={Date.parse(health.lastAt)} relative />
            {health.state !== 'ok' && (
              <>
                {' '}
                (since <Time at={Date.parse(health.since)} />)
              </>
            )}
          </span>
        )}
        <span class="alert-answer" role="status">
          {tested}
        </span>
      </span>
      {mayOperate && (
        <button type="button" class="quiet-button" disabled={action.isRunning} aria-label={`Test ${name}`} onClick={test}>
          Test
        </button>
      )}
      <ActionProblem of={action} />
    </li>
  )
}
