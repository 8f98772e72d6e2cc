import { downCode, type StateCounts, unknownCode } from './state.ts'

/** The state of each location at the instant that a sweep has reached. */
type LocationStates = {
  /** State codes by location; a location beyond the end has not been seen yet. */
  codes: Uint8Array
  readonly tally: StateCounts
  readonly down: LocationSet
}

export function trackLocations(): LocationStates {
  return { codes: new Uint8Array(0), tally: new Int32Array(unknownCode + 1), down: emptyLocationSet() }
}

export function setLocationState(states: LocationStates, location: number, code: number): void {
  if (location >= states.codes.length) grow(states, 2 * (location + 1))
  const { codes, tally, down } = states
  const old = codes[location] as number
  codes[location] = code
  tally[old] = (tally[old] as number) - 1
  tally[code] = (tally[code] as number) + 1
  if (old !== downCode && code === downCode) add(down, location)
  if (old === downCode && code !== downCode) remove(down, location)
}

function grow(states: LocationStates, capacity: number): void {
  const { codes } = states
  states.codes = new Uint8Array(capacity).fill(unknownCode)
  states.codes.set(codes)
  reserve(states.down, capacity)
}

/** A sparse set of small whole numbers: adding, removing and listing cost a few array accesses. */
type LocationSet = {
  /** The members are at the indexes below `size`, in no order. */
  members: Int32Array
  size: number
  positions: Int32Array
}

function emptyLocationSet(): LocationSet {
  return { members: new Int32Array(0), size: 0, positions: new Int32Array(0) }
}

/** Makes room for members below `capacity`. */
function reserve(set: LocationSet, capacity: number): void {
  const { members, positions } = set
  set.members = new Int32Array(capacity)
  set.members.set(members)
  set.positions = new Int32Array(capacity)
  set.positions.set(positions)
}

/** `location` must not be in the set. */
function add(set: LocationSet, location: number): void {
  set.positions[location] = set.size
  set.members[set.size++] = location
}

/** `location` must be in the set. */
function remove(set: LocationSet, location: number): void {
  const last = set.members[--set.size] as number
  const position = set.positions[location] as number
  set.members[position] = last
  set.positions[last] = position
}
