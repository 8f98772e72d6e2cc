import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Loaded before it is scrolled to, from so far below the visible part; and all that is above it. */
const rootMargin = '1000000px 0px 300px 0px'

/** Whether an element has been in the visible part of the page, near it, or above it: until then nothing needs to be asked for it. */
export function useSeen<T extends Element>(): readonly [RefObject<T | null>, boolean] {
  const place = useRef<T>(null)
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    if (seen || place.current === null) return
    const watch = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true), {
      rootMargin,
    })
    watch.observe(place.current)
    return () => watch.disconnect()
  }, [seen])
  return [place, seen]
}
