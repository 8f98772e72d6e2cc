import { figure } from '../view/figures.ts'
import { type ChartGroup, type Drawing, mostLines } from './line.ts'
import { Swatch } from './swatch.tsx'

type GroupsTableProps = { readonly title: string; readonly groups: readonly ChartGroup[]; readonly drawing: Drawing }

/** Every group with its latest, lowest and highest value, for charts that show only some groups. */
export function GroupsTable({ title, groups, drawing: { lines, unit, worst } }: GroupsTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="rows-table" tabIndex={0} aria-label={`${title}, every group`}>
      <table>
        <caption class="note">
          {groups.length} groups, those with the {worst ?? 'highest'} values first. The chart shows the first {mostLines}.
        </caption>
        <thead>
          <tr>
            <th scope="col">Group</th>
            {['Latest', 'Lowest', 'Highest'].map((head) => (
              <th key={head} scope="col" class="number">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <GroupRow key={group.label} group={group} unit={unit} line={lines.find(({ label }) => label === group.label)} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

type GroupRowProps = { readonly group: ChartGroup; readonly unit: Drawing['unit']; readonly line: Drawing['lines'][number] | undefined }

function GroupRow({ group: { label, values }, unit, line }: GroupRowProps) {
  const known = values.filter((value) => value !== null)
  const figures = [known.at(-1), Math.min(...known), Math.max(...known)]
  return (
    <tr>
      <th scope="row">
        {label} {line && <Swatch line={line} />}
      </th>
      {figures.map((value, column) => (
        <td key={column} class="number">
          {figure(known.length === 0 ? null : value, unit)}
        </td>
      ))}
    </tr>
  )
}
