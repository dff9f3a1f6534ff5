import type { EntryKind } from '../lists/entry.ts'
import { type ComparedName, toComparedName } from './compared-name.ts'

/** Returns a listed name in compared form. Legal forms are dropped except from names of people. */
export const toListedName = (name: string, kind: EntryKind): ComparedName =>
  toComparedName(name, kind === 'person' ? 'person' : 'organization')
