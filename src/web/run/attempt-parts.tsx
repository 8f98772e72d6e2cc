import type { ComponentChildren } from 'preact'
import type { Attempt } from '../api/answers.ts'
import { figure, plural } from '../view/figures.ts'
import { ScrollingTable } from '../view/scrolling-table.tsx'
import { StateMark } from '../view/state.tsx'

/** The attempt that a part belongs to. Attempts have equal parts, so labels include it. */
type OfAttempt = { readonly of: string }

/** Assertions with expected and actual values. */
export function AssertionList({ assertions, of }: Pick<Attempt, 'assertions'> & OfAttempt) {
  return (
    <Table name="Assertions" of={of} columns={['Result', 'Expected', 'Found']}>
      {assertions.map(({ expected, found, passed }, index) => (
        <tr key={index} class={passed ? '' : 'failed'}>
          <td>
            <StateMark state={passed ? 'passing' : 'failing'} word={passed ? 'passed' : 'failed'} />
          </td>
          <td class="evidence-text">{expected}</td>
          <td class="evidence-text">{found}</td>
        </tr>
      ))}
    </Table>
  )
}

export function StepList({ steps, of }: Pick<Attempt, 'steps'> & OfAttempt) {
  return (
    <Table name="Steps" of={of} columns={['Result', 'Step', 'Duration']}>
      {steps.map(({ title, durationMs, error }, index) => (
        <tr key={index} class={error === null ? '' : 'failed'}>
          <td>
            <StateMark state={error === null ? 'passing' : 'failing'} word={error === null ? 'passed' : 'failed'} />
          </td>
          <td class="evidence-text">
            {title}
            {error !== null && <div>{error}</div>}
          </td>
          <td class="number">{figure(durationMs, 'milliseconds')}</td>
        </tr>
      ))}
    </Table>
  )
}

export function ReceivedResponse({ response }: { readonly response: NonNullable<Attempt['response']> }) {
  const { status, headers, body, truncated } = response
  return (
    <>
      <h3>{status === null ? 'Received' : `Response, status ${status}`}</h3>
      {headers.length > 0 && (
        <details>
          <summary>{plural(headers.length, 'header')}</summary>
          <pre>{headers.map(({ name, value }) => `${name}: ${value}`).join('\n')}</pre>
        </details>
      )}
      {body === null ? (
        <p class="note">The body is not text.</p>
      ) : body === '' ? (
        <p class="note">The body is empty.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre class="evidence-body" tabIndex={0}>
          {body}
        </pre>
      )}
      {truncated && body !== null && <p class="note">The stored body is truncated.</p>}
    </>
  )
}

export function Messages({ messages }: Pick<Attempt, 'messages'>) {
  return (
    <>
      <h3>Messages</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre class="evidence-body" tabIndex={0}>
        {messages.join('\n')}
      </pre>
    </>
  )
}

type TableProps = OfAttempt & { readonly name: string; readonly columns: readonly string[]; readonly children: ComponentChildren }

function Table({ name, of, columns, children }: TableProps) {
  return (
    <>
      <h3>{name}</h3>
      <ScrollingTable label={`${name}, ${of}`} heads={columns} numbers={['Duration']}>
        {children}
      </ScrollingTable>
    </>
  )
}
