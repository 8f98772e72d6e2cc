const decimals = Array.from({ length: 1000 }, (_, n) => String(n).padStart(3, '0').replace(/0+$/, ''))
const largest = 2 ** 31

/** A number as JSON; a fast path for those with at most three decimals, as most measured values have. */
export function numberText(value: number): string {
  const thousandths = Math.round(value * 1000)
  if (thousandths / 1000 !== value || thousandths < 0 || thousandths >= largest) return JSON.stringify(value)
  const whole = Math.floor(thousandths / 1000)
  const rest = thousandths % 1000
  return rest === 0 ? `${whole}` : `${whole}.${decimals[rest]}`
}
