import type { EntryKind } from '../lists/entry.ts'
import { type ComparedName, toComparedName } from './compared-name.ts'

/** Returns the compared form of a listed name; legal forms are dropped except from names of people. */
export const toListedName = (name: string, kind: EntryKind): ComparedName =>
  toComparedName(name, kind === 'person' ? 'person' : 'organization')
