import { useLayoutEffect } from 'preact/hooks'

/** Shows the number of failing checks in the tab's icon, or a question mark if it is unknown. */
export function useFailingIcon(failing: number, isLost: boolean): void {
  const text = isLost ? '?' : failing > 99 ? '99+' : String(failing)
  const isPlain = failing === 0 && !isLost
  // A layout effect, because cleanup of a plain effect may run after the next session's effect.
  useLayoutEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon === null || isPlain) return
    const before = icon.href
    const drawn = URL.createObjectURL(new Blob([iconWith(text, isLost ? '#5b6770' : '#b3370a')], { type: 'image/svg+xml' }))
    icon.href = drawn
    return () => {
      icon.href = before
      URL.revokeObjectURL(drawn)
    }
  }, [text, isPlain])
}

/** White text on a colour; at most three characters. */
function iconWith(text: string, colour: string): string {
  const size = [24, 20, 15][text.length - 1] ?? 15
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${colour}"/><text x="16" y="${16 + size * 0.36}" font-family="system-ui, sans-serif" font-size="${size}" font-weight="700" text-anchor="middle" fill="#fff">${text}</text></svg>`
}
