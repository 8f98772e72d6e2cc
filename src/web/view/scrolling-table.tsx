import type { ComponentChildren } from 'preact'

type ScrollingTableProps = {
  readonly label: string
  readonly heads: readonly string[]
  /** The heads of columns with numbers. */
  readonly numbers?: readonly string[]
  readonly children: ComponentChildren
}

/** A table that scrolls horizontally within its panel. */
export function ScrollingTable({ label, heads, numbers = [], children }: ScrollingTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="rows-table" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col" class={numbers.includes(head) ? 'number' : ''}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}
