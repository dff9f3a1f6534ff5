import { readTable } from './letter-table.ts'

// Royal Thai transcription. Consonants at the end of a word have other forms, and some vowels are not written.
const consonants = readTable(`
  ก k ข kh ฃ kh ค kh ฅ kh ฆ kh ง ng จ ch ฉ ch ช ch ซ s ฌ ch ญ y ฎ d ฏ t ฐ th ฑ th ฒ th ณ n ด d ต t ถ th ท th ธ th น n
  บ b ป p ผ ph ฝ f พ ph ฟ f ภ ph ม m ย y ร r ฤ rue ล l ว w ศ s ษ s ส s ห h ฬ l อ - ฮ h
`)
const finalConsonants = readTable(`
  ข k ค k ฆ k จ t ช t ซ t ญ n ฎ t ฏ t ฐ t ฑ t ฒ t ณ n ด t ต t ถ t ท t ธ t บ p ป p พ p ฟ p ภ p ร n ล n ฬ n ศ t ษ t ส t
`)
const vowels = readTable('ะ a ั a า a ำ am ิ i ี i ึ ue ื ue ุ u ู u เ e แ ae โ o ใ ai ไ ai')

export function thaiWord(word: string): string {
  const spokenWord = word
    .normalize('NFD')
    // A letter with this sign is silent, with its vowel.
    .replaceAll(/[ก-ฮ][ิุ]?์/gu, '')
    .replaceAll(/[็-๎]/gu, '')
    // These vowels are written before the consonant after which they are pronounced.
    .replaceAll(/([เแโใไ])([ก-ฮ])/gu, '$2$1')
    .replaceAll('ํา', 'ำ')
    .replaceAll('เา', 'ao')
    .replaceAll('เียว', 'iao')
    .replaceAll('เีย', 'ia')
    .replaceAll('เือ', 'uea')
  const letters = Array.from(spokenWord)
  return letters
    .map((letter, at) => {
      const isLast = at === letters.length - 1 && at > 0
      return (isLast ? finalConsonants[letter] : undefined) ?? consonants[letter] ?? vowels[letter] ?? letter
    })
    .join('')
}
