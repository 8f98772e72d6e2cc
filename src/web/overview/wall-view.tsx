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
