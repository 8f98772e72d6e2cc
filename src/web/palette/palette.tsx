import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import type { Check } from '../api/answers.ts'
import { useChecks } from '../checks/use-checks.ts'
import { basePath } from '../state/base-path.ts'
import { navigate, type Route, withQuery } from '../state/route.tsx'
import { windowChanges, windowOf } from '../state/window.ts'
import { matching, type PaletteTarget } from './matches.ts'

type PaletteProps = { readonly route: Route; onClose(): void }

/** Finds checks, tags and views as the user types. Arrow keys select, Enter opens. */
export function Palette({ route, onClose }: PaletteProps) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const checks = useChecks()
  const targets = useMemo(() => targetsOf(checks.data ?? [], route), [checks.data, route])
  const found = matching(targets, text)
  useEffect(() => dialog.current?.showModal(), [])
  const go = (target: PaletteTarget | undefined) => {
    if (target === undefined) return
    dialog.current?.close()
    leadTo(target)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 'Enter') go(found[chosen])
    if (step === 0) return
    event.preventDefault()
    setChosen((chosen + step + found.length) % Math.max(1, found.length))
  }
  return (
    <dialog ref={dialog} class="palette" aria-label="Go to" closedby="any" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Check, tag or view"
        aria-expanded="true"
        aria-controls={`${id}-found`}
        aria-activedescendant={found[chosen] === undefined ? undefined : `${id}-${chosen}`}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck={false}
        placeholder="Check, tag or view"
        value={text}
        onKeyDown={onKeyDown}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setChosen(0)
        }}
      />
      <div role="listbox" id={`${id}-found`} aria-label="Found">
        {found.map((target, index) => (
          <Found key={target.href} id={`${id}-${index}`} target={target} chosen={index === chosen} onPick={() => go(target)} />
        ))}
      </div>
      <p class="note" role="status">
        {found.length === 0 ? 'No matches.' : ''}
      </p>
    </dialog>
  )
}

type FoundProps = { readonly id: string; readonly target: PaletteTarget; readonly chosen: boolean; onPick(): void }

function Found({ id, target, chosen, onPick }: FoundProps) {
  const option = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (chosen) option.current?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of a listbox are those of its combobox
    // biome-ignore lint/a11y/useFocusableInteractive: the combobox keeps the focus and names the active option
    <div ref={option} id={id} role="option" aria-selected={chosen} onClick={onPick}>
      <span class="palette-kind">{target.kind}</span>
      <span class="palette-label">{target.label}</span>
      <span class="palette-detail">{target.detail}</span>
    </div>
  )
}

const apiHref = '/docs'

const views: readonly PaletteTarget[] = [
  { kind: 'View', label: 'Checks', detail: 'the list', href: '/' },
  { kind: 'View', label: 'Overview', detail: 'tags and 90 days', href: '/overview' },
  { kind: 'View', label: 'Wall', detail: 'for a screen in the office', href: '/wall' },
  { kind: 'View', label: 'Alerts', detail: 'open ones, silences, channels and rules', href: '/alerts' },
  { kind: 'View', label: 'SLOs', detail: 'targets and their budgets', href: '/slos' },
  { kind: 'View', label: 'Audit', detail: 'who changed what', href: '/audit' },
  { kind: 'View', label: 'API reference', detail: 'every endpoint, to try out', href: apiHref },
]

function targetsOf(checks: readonly Check[], route: Route): readonly PaletteTarget[] {
  const window = windowChanges(windowOf(route))
  const at = (path: string, more: Record<string, string> = {}) => withQuery({ path, query: new URLSearchParams() }, { ...window, ...more })
  const tags = [...new Set(checks.flatMap((check) => check.tags))].sort()
  return [
    ...views,
    ...tags.map((tag): PaletteTarget => ({ kind: 'Tag', label: tag, detail: 'checks with this tag', href: at('/', { tag }) })),
    ...checks.map(
      (check): PaletteTarget => ({ kind: 'Check', label: check.name, detail: check.tags.join(' '), href: at(`/checks/${check.id}`) }),
    ),
  ]
}

function leadTo({ href }: PaletteTarget): void {
  if (href === apiHref) {
    location.assign(basePath() + href)
    return
  }
  navigate(href)
  window.scrollTo(0, 0)
}
