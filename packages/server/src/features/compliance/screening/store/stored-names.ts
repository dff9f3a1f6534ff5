import type { Tx } from '../../../../platform/database/db.ts'
import type { ListName } from '../lists/entry.ts'
import { foldName } from '../names/fold.ts'
import { consonantsOf, lackVowels, spellingOf } from '../names/variants.ts'

const batchRows = 2000

/** A name's stored forms, each with a space between words. */
export function storedForms(name: string): { words: string; spellings: string; consonants: string } {
  const words = foldName(name)
  return {
    words: words.join(' '),
    spellings: words.map(spellingOf).join(' '),
    consonants: words.map(consonantsOf).join(' '),
  }
}

const isArabic = /\p{Script=Arabic}/u

/** Whether a name is written without most of its vowels: in Arabic letters, or in Latin ones that stand for them. */
export const isBare = (name: string): boolean => isArabic.test(name) || lackVowels(...foldName(name))

/** Stores names of entries in the forms that are compared. */
export async function insertNames(tx: Tx, names: readonly (ListName & { readonly entryId: string })[]): Promise<void> {
  const rows = names.map(({ name, kind, entryId }) => {
    const { words, spellings, consonants } = storedForms(name)
    return { entry_id: entryId, name, kind, words, spellings, consonants }
  })
  for (let from = 0; from < rows.length; from += batchRows) {
    await tx.query(
      `insert into screening_name (entry_id, name, kind, words, spellings, consonants)
         select n.* from jsonb_to_recordset($1)
           as n (entry_id uuid, name text, kind text, words text, spellings text, consonants text)`,
      [JSON.stringify(rows.slice(from, from + batchRows))],
    )
  }
}

/** Folds all stored names anew, after the matcher has changed how it folds. */
export async function foldAgain(tx: Tx): Promise<void> {
  const { rows } = await tx.query<{ id: bigint; name: string }>('select id, name from screening_name order by id')
  for (let from = 0; from < rows.length; from += batchRows) {
    const folded = rows.slice(from, from + batchRows).map(({ id, name }) => {
      const { words, spellings, consonants } = storedForms(name)
      return { id: String(id), words, spellings, consonants }
    })
    await tx.query(
      `update screening_name as s set words = n.words, spellings = n.spellings, consonants = n.consonants
         from jsonb_to_recordset($1) as n (id bigint, words text, spellings text, consonants text) where s.id = n.id`,
      [JSON.stringify(folded)],
    )
  }
}
