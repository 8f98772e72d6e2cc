import { useEffect } from 'preact/hooks'
import { RouteLink } from '../state/route.tsx'
import { plural } from '../view/figures.ts'
import { ProblemNotice, Skeleton } from '../view/notice.tsx'
import { StateMark } from '../view/state.tsx'
import { Time } from '../view/time.tsx'
import { useTitle } from '../view/use-title.ts'
import { type CheckGroup, groupName, passingText } from './groups.ts'
import { useGroups } from './use-groups.ts'

const mostNamed = 4

/** For a screen in the office: the tags and their states, and nothing else. */
export function WallView() {
  const loaded = useGroups()
  const { groups, failing, problem } = loaded
  useTitle(failing === 0 ? 'None failing' : `${failing} failing`)
  useFailingIcon(failing)
  if (groups === undefined && problem === undefined) return <Skeleton lines={6} height={120} />
  return (
    <div class="wall">
      <header>
        <h1 class={failing === 0 ? 'state-passing' : 'state-failing'}>
          {failing === 0 ? 'No check is failing' : `${plural(failing, 'check')} failing`}
        </h1>
        <span class="note">
          as of <Time at={Date.now()} zone />
        </span>
        <RouteLink href="/overview" class="wall-back">
          Leave the wall view
        </RouteLink>
      </header>
      <ProblemNotice of={loaded} />
      <ul class="tag-squares">
        {groups?.map((group) => (
          <Square key={group.tag} group={group} />
        ))}
      </ul>
    </div>
  )
}

function Square({ group }: { group: CheckGroup }) {
  const troubled = group.members.filter(({ state }) => state === 'failing' || state === 'degraded')
  return (
    <li class={`tag-square tag-square-${group.worst}`}>
      <h2>{groupName(group)}</h2>
      <StateMark state={group.worst} />
      <p>{passingText(group)}</p>
      {troubled.slice(0, mostNamed).map(({ check, state }) => (
        <p key={check.id} class="tag-trouble">
          <StateMark state={state} words={false} /> {check.name}
        </p>
      ))}
      {troubled.length > mostNamed && <p class="note">and {troubled.length - mostNamed} more</p>}
    </li>
  )
}

/** Shows the number of failing checks in the icon of the tab, while the view is shown. */
function useFailingIcon(failing: number): void {
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon === null || failing === 0) return
    const before = icon.href
    const drawn = URL.createObjectURL(new Blob([failingIcon(failing)], { type: 'image/svg+xml' }))
    icon.href = drawn
    return () => {
      icon.href = before
      URL.revokeObjectURL(drawn)
    }
  }, [failing])
}

/** White on red; three characters at most. */
function failingIcon(failing: number): string {
  const text = failing > 99 ? '99+' : String(failing)
  const size = [24, 20, 15][text.length - 1] ?? 15
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#b3370a"/><text x="16" y="${16 + size * 0.36}" font-family="system-ui, sans-serif" font-size="${size}" font-weight="700" text-anchor="middle" fill="#fff">${text}</text></svg>`
}
