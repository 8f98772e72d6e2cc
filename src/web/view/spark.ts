/** The path of a sparkline with equal distances, scaled from zero to the maximum. An isolated value is a short dash. */
export function sparkPath(values: readonly (number | null)[], width: number, height: number): string {
  const top = Math.max(...values.map((value) => value ?? 0)) || 1
  const step = values.length > 1 ? width / (values.length - 1) : 0
  const isGap = (index: number) => (values[index] ?? null) === null
  return values
    .map((value, index) => {
      if (value === null) return ''
      const point = `${round(index * step)} ${round(height - (value / top) * height)}`
      if (!isGap(index - 1)) return `L${point}`
      return isGap(index + 1) ? `M${point}h1` : `M${point}`
    })
    .join('')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
