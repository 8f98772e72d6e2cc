import type { ComponentType, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ProblemNotice, Skeleton } from './notice.tsx'

const problem = { message: 'This part of the page could not be loaded. If it fails again, reload the page.' }

/** A view whose code is loaded when it is first shown; until then there is `waiting`. */
export function lazyView<P extends object>(
  load: () => Promise<ComponentType<P>>,
  waiting: VNode | null = <Skeleton lines={6} height={72} />,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined
  return function LazyView(props: P) {
    const [View, setView] = useState(() => loaded)
    const [failed, setFailed] = useState(false)
    const start = () => {
      setFailed(false)
      load().then(
        (view) => {
          loaded = view
          setView(() => view)
        },
        () => setFailed(true),
      )
    }
    useEffect(() => {
      if (loaded === undefined) start()
    }, [])
    if (View !== undefined) return <View {...props} />
    return failed ? <ProblemNotice of={{ problem, retry: start }} /> : waiting
  }
}
