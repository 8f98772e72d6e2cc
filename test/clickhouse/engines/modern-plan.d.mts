export type Machine = {
  readonly platform: string
  readonly arch: string
  readonly qemuVersion: string | null
  readonly hasX64Libraries: boolean
}
export type Plan = { readonly command: readonly string[] } | { readonly missing: string }
export const dependencies: string
export const isEmulated: boolean
export function planModernEngine(machine: Machine): Plan
export function planHere(): Plan
