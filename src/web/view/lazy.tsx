import type { ComponentType, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Notice, Skeleton } from './notice.tsx'

/** A component whose code is loaded when it is first shown; until then there is `waiting`. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: VNode | null = <Skeleton lines={6} height={72} />,
): (props: Props) => VNode | null {
  let loaded: ComponentType<Props> | undefined
  return function Lazy(props: Props) {
    const [, setLoaded] = useState(loaded !== undefined)
    const [failed, setFailed] = useState(false)
    useEffect(() => {
      if (loaded !== undefined) return
      load().then(
        (component) => {
          loaded = component
          setLoaded(true)
        },
        () => setFailed(true),
      )
    }, [])
    if (loaded !== undefined) {
      const Component = loaded
      return <Component {...props} />
    }
    return failed ? <NotLoaded /> : waiting
  }
}

/** After an update of the server, an open page asks for files that are gone. */
function NotLoaded() {
  return (
    <Notice alert title="This part of the page could not be loaded.">
      <button type="button" onClick={() => location.reload()}>
        Reload
      </button>
    </Notice>
  )
}
