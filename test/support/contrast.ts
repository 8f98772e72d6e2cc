/** Red, green and blue from 0 to 255. */
type Colour = readonly [number, number, number]

/** The lowest contrast of a text with its background over the height of the letters, by WCAG 2. */
export function lowestContrast(text: string, back: string, overlays: readonly Overlay[]): number {
  const backgrounds = overlays.length === 0 ? [parse(back)] : overlays.map((overlay) => blend(parse(back), overlay))
  return Math.min(...backgrounds.map((background) => contrast(parse(text), background)))
}

type Overlay = { readonly colour: Colour; readonly opacity: number }

/** The colours that the SVG gradient `id` lays over the letters between two fractions of its height. */
export function overlaysOf(svg: string, id: string, top: number, bottom: number): readonly Overlay[] {
  const gradient = new RegExp(`<linearGradient id="${id}".*?</linearGradient>`).exec(svg)?.[0]
  if (!gradient) return []
  const stops = [...gradient.matchAll(/<stop ([^>]*)\/>/g)].map(([, attributes = '']) => ({
    offset: Number(attribute(attributes, 'offset') ?? 0),
    colour: parse(attribute(attributes, 'stop-color') ?? '#000'),
    opacity: Number(attribute(attributes, 'stop-opacity') ?? 1),
  }))
  const steps = 20
  return Array.from({ length: steps + 1 }, (_, step) => at(stops, top + ((bottom - top) * step) / steps))
}

type Stop = Overlay & { readonly offset: number }

function at(stops: readonly Stop[], offset: number): Overlay {
  const after = stops.findIndex((stop) => stop.offset >= offset)
  const high = stops[after]
  const low = stops[after - 1] ?? high
  if (!high || !low) throw new Error('the gradient ends before the text')
  const share = high === low ? 0 : (offset - low.offset) / (high.offset - low.offset)
  const mix = (from: number, to: number) => from + (to - from) * share
  return {
    colour: [mix(low.colour[0], high.colour[0]), mix(low.colour[1], high.colour[1]), mix(low.colour[2], high.colour[2])],
    opacity: mix(low.opacity, high.opacity),
  }
}

function attribute(text: string, name: string): string | undefined {
  return new RegExp(`(?:^| )${name}="([^"]*)"`).exec(text)?.[1]
}

function parse(hex: string): Colour {
  const digits = hex.length === 4 ? hex.slice(1).replace(/./g, '$&$&') : hex.slice(1)
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((start) => Number.parseInt(digits.slice(start, start + 2), 16))
  return [red, green, blue]
}

function blend(back: Colour, { colour, opacity }: Overlay): Colour {
  const mix = (under: number, over: number) => under * (1 - opacity) + over * opacity
  return [mix(back[0], colour[0]), mix(back[1], colour[1]), mix(back[2], colour[2])]
}

function contrast(one: Colour, other: Colour): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (bright + 0.05) / (dark + 0.05)
}

function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
