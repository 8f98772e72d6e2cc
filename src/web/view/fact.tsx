import type { ComponentChildren } from 'preact'

type FactProps = { readonly name: string; readonly children: ComponentChildren }

/** One entry of a `dl`. */
export function Fact({ name, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
