/** A set of small whole numbers: adding, removing and listing cost a few array accesses. */
export type LocationSet = {
  /** The members stand before `size`, in no order. */
  members: Int32Array
  size: number
  positions: Int32Array
}

export function emptyLocationSet(): LocationSet {
  return { members: new Int32Array(0), size: 0, positions: new Int32Array(0) }
}

/** Makes room for members below `capacity`. */
export function reserve(set: LocationSet, capacity: number): void {
  const { members, positions } = set
  set.members = new Int32Array(capacity)
  set.members.set(members)
  set.positions = new Int32Array(capacity)
  set.positions.set(positions)
}

/** Adds one that is not in it. */
export function add(set: LocationSet, location: number): void {
  set.positions[location] = set.size
  set.members[set.size++] = location
}

/** Removes one that is in it. */
export function remove(set: LocationSet, location: number): void {
  const last = set.members[--set.size] as number
  const position = set.positions[location] as number
  set.members[position] = last
  set.positions[last] = position
}
