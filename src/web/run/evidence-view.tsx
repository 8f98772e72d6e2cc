import { useEffect, useState } from 'preact/hooks'
import type { Attempt, Evidence } from '../api/answers.ts'
import { Notice } from '../view/notice.tsx'
import { Time } from '../view/time.tsx'
import { AssertionList, Messages, ReceivedResponse, StepList } from './attempt-parts.tsx'

export function EvidenceView({ evidence, failed }: { readonly evidence: Evidence | null; readonly failed: boolean }) {
  if (evidence === null) {
    return (
      <Notice title="No more is kept of this run.">
        {failed
          ? 'Evidence of failing runs is kept for 30 days, unless the config file says otherwise. There is none of results that were sent to Tidemark or invented by its demo.'
          : 'Evidence is kept of failing runs, and with evidence: all in the config file of passing ones too. There is none of pings and of results that were sent to Tidemark or invented by its demo.'}
      </Notice>
    )
  }
  return (
    <>
      {evidence.screenshot && <Screenshot {...evidence.screenshot} />}
      {evidence.attempts.map((attempt, index) => (
        <AttemptPanel key={attempt.startedAt} attempt={attempt} number={index + 1} of={evidence.attempts.length} />
      ))}
    </>
  )
}

function AttemptPanel({ attempt, number, of }: { attempt: Attempt; number: number; of: number }) {
  const { startedAt, error, assertions, response, steps, messages } = attempt
  const name = of === 1 ? 'Attempt' : `Attempt ${number} of ${of}`
  return (
    <section class="panel attempt" data-panel={`attempt-${number}`}>
      <header>
        <h2>{name}</h2>
        <span class="note">
          <Time at={Date.parse(startedAt)} zone />
        </span>
      </header>
      {error !== null && of > 1 && <p class="run-reason">{error}</p>}
      {assertions.length > 0 && <AssertionList assertions={assertions} of={name} />}
      {steps.length > 0 && <StepList steps={steps} of={name} />}
      {response !== null && <ReceivedResponse response={response} />}
      {messages.length > 0 && <Messages messages={messages} />}
      {assertions.length + steps.length + messages.length === 0 && response === null && (
        <p class="note">{error === null ? 'Nothing more was recorded.' : 'No answer came: there is nothing to show but the reason.'}</p>
      )}
    </section>
  )
}

function Screenshot({ mediaType, base64 }: { readonly mediaType: string; readonly base64: string }) {
  const url = useObjectUrl(mediaType, base64)
  return (
    <section class="panel" data-panel="screenshot">
      <header>
        <h2>Screenshot of the failure</h2>
      </header>
      {url !== null && <img class="screenshot" src={url} alt="The page when the run failed" />}
    </section>
  )
}

function useObjectUrl(mediaType: string, base64: string): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const created = URL.createObjectURL(new Blob([bytes], { type: mediaType }))
    setUrl(created)
    return () => URL.revokeObjectURL(created)
  }, [mediaType, base64])
  return url
}
