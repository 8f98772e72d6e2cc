import { useRef } from 'preact/hooks'
import { type Route, RouteLink } from '../state/route.tsx'
import { troubleText } from '../view/failing-for.tsx'
import { plural } from '../view/figures.ts'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { StateMark } from '../view/state.tsx'
import { Time } from '../view/time.tsx'
import { useNow } from '../view/use-now.ts'
import { useTitle } from '../view/use-title.ts'
import { failingInGroups, type GroupMember, groupName, passingText, type TagGroup, troubledIn } from './groups.ts'
import { groupsWithTags, troubledAndCalm } from './troubled-groups.ts'
import { useFit } from './use-fit.ts'
import { useGroups } from './use-groups.ts'

const mostNamed = 6

/** Tags and their states for a wall screen of any size. */
export function WallView({ route }: { readonly route: Route }) {
  const loaded = useGroups()
  const { groups, problem } = loaded
  const tags = (route.query.get('tag') ?? '').split(',').filter((tag) => tag !== '')
  const shown = groupsWithTags(groups ?? [], tags)
  const { troubled, calm } = troubledAndCalm(shown)
  const failing = failingInGroups(shown)
  const now = useNow()
  useTitle(failing === 0 ? 'None failing' : `${failing} failing`, ...tags)
  const wall = useRef<HTMLDivElement>(null)
  useFit(
    wall,
    JSON.stringify([
      shown.map(({ members }) => members.map(({ check, status }) => [check.name, troubleText(status, now)])),
      groups === undefined,
      problem,
    ]),
  )
  if (groups === undefined && problem === undefined) return <Skeleton lines={4} height={80} />
  return (
    <div ref={wall} class="wall">
      <header>
        <h1 class={failing === 0 ? 'state-passing' : 'state-failing'}>
          {failing === 0 ? 'No check is failing' : `${plural(failing, 'check')} failing`}
        </h1>
        <span class="note">
          {tags.length > 0 && <>{tags.join(', ')} · </>}as of <Time at={now} zone />
        </span>
        <RouteLink href="/overview" class="wall-back">
          Exit wall view
        </RouteLink>
      </header>
      <ProblemNotice of={loaded} />
      {groups !== undefined && shown.length === 0 && (
        <Notice title={tags.length === 0 ? 'There are no checks yet.' : `No check has the tag ${tags.join(' or ')}.`} />
      )}
      <ul class="wall-troubled">
        {troubled.map((group) => (
          <Square key={group.tag} group={group} now={now} />
        ))}
      </ul>
      <ul class="wall-calm">
        {calm.map((group) => (
          <li key={group.tag}>
            <StateMark state={group.worst} words={false} /> <h2>{groupName(group)}</h2> <span class="note">{passingText(group)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Square({ group, now }: { group: TagGroup; now: number }) {
  const named = troubledIn(group)
  return (
    <li class={`wall-square wall-square-${group.worst}`}>
      <h2>{groupName(group)}</h2>
      <StateMark state={group.worst} />
      <p class="wall-passing">{passingText(group)}</p>
      <ul>
        {named.slice(0, mostNamed).map((member) => (
          <NamedCheck key={member.check.id} member={member} now={now} />
        ))}
      </ul>
      {named.length > mostNamed && <p class="note">and {named.length - mostNamed} more</p>}
    </li>
  )
}

function NamedCheck({ member: { check, state, status }, now }: { member: GroupMember; now: number }) {
  return (
    <li>
      <StateMark state={state} words={false} /> <b>{check.name}</b> <span class="wall-reason">{troubleText(status, now)}</span>
    </li>
  )
}
