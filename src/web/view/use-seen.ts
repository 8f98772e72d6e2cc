import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Elements load shortly before they are scrolled into view. Everything above the visible part loads, too. */
const rootMargin = '1000000px 0px 300px 0px'

/** Whether an element has been visible, near the visible part or above it. Until then its data is not needed. */
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
