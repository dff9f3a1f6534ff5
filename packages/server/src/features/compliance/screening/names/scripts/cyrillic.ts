import { readTable } from './letter-table.ts'

// BGN/PCGN romanisation of Russian (1947) without apostrophes, and of other letters by the tables of their languages.
const letters = readTable(`
  а a б b в v г g д d е e ё yo ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh
  щ shch ъ - ы y ь - э e ю yu я ya
  є ye і i ї yi ґ g ў w
  ђ dj ј j љ lj њ nj ћ c џ dz ѓ gj ќ kj ѕ dz
  ә a ғ gh қ q ң ng ө o ұ u ү u һ h ҳ h ҷ j ӣ i ӯ u җ j
`)

/** Returns a Cyrillic word in Latin letters; letters that are not in the table stay. */
export const cyrillicWord = (word: string): string =>
  Array.from(word.toLowerCase(), (letter) => letters[letter] ?? letter).join('')
