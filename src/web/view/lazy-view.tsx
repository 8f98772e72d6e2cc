import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Notice, Skeleton } from './notice.tsx'

type Loaded<Props> = { readonly View: ComponentType<Props> } | 'loading' | 'failed'

/** A view whose code is loaded when it is first shown. */
export function lazyView<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: Loaded<Props> = 'loading'
  return function LazyView(props: Props) {
    const [state, setState] = useState(loaded)
    useEffect(() => {
      if (state !== 'loading') return
      load().then(
        (View) => {
          loaded = { View }
          setState(loaded)
        },
        () => setState('failed'),
      )
    }, [])
    if (state === 'loading') return <Skeleton lines={6} height={72} />
    if (state === 'failed') return <Notice alert title="This part of the page could not be loaded. Reload it." />
    return <state.View {...props} />
  }
}
