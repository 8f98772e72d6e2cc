import type { ComponentChildren } from 'preact'

type ScrollingTableProps = {
  readonly label: string
  readonly heads: readonly string[]
  /** Those of the heads whose cells are numbers. */
  readonly numbers?: readonly string[]
  /** Its rows. */
  readonly children: ComponentChildren
}

/** A table that scrolls within its panel where it is wider. */
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
