import type { ComponentChildren } from 'preact'
import type { Api } from '../api/client.ts'
import { type Resource, useResource } from '../api/use-resource.ts'
import { ProblemNotice } from '../view/notice.tsx'
import { useSeen } from '../view/use-seen.ts'

type LazyPanelProps<T> = {
  readonly id: string
  readonly title: string
  readonly note: ComponentChildren
  readonly class?: string
  /** Shown next to the title. */
  readonly actions?: ComponentChildren
  /** The height of the content, so that nothing moves when it loads. */
  readonly height: number
  /** The cache key of the content. */
  readonly source: string
  load(api: Api, signal: AbortSignal): Promise<T>
  children(data: T): ComponentChildren
}

/** A panel that loads its content when it becomes visible. */
export function LazyPanel<T>({ id, title, note, actions, height, source, load, children, ...rest }: LazyPanelProps<T>) {
  const [place, seen] = useSeen<HTMLElement>()
  const loaded: Resource<T> = useResource(seen ? source : null, load)
  const { data, problem, loading } = loaded
  return (
    <section ref={place} class={`panel ${rest.class ?? ''} ${loading ? 'loading' : ''}`} aria-busy={loading} data-panel={id}>
      <header>
        <h2>{title}</h2>
        <span class="note">{note}</span>
        <span class="actions">{actions}</span>
      </header>
      <ProblemNotice of={loaded} />
      {data === undefined ? problem === undefined && <div class="unloaded" style={{ height: `${height}px` }} /> : children(data)}
    </section>
  )
}
