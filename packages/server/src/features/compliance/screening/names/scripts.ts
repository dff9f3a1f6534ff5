// Names in other scripts, written in Latin letters.

import { createRequire } from 'node:module'
import type * as Pinyin from 'pinyin-pro'

// BGN/PCGN 1947 for Russian, without its apostrophes; other Cyrillic letters by the BGN/PCGN tables of their languages.
const cyrillic: Readonly<Record<string, string>> = {
  ...{ а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ё: 'yo', ж: 'zh', з: 'z', и: 'i', й: 'y', к: 'k', л: 'l' },
  ...{ м: 'm', н: 'n', о: 'o', п: 'p', р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'kh', ц: 'ts', ч: 'ch', ш: 'sh' },
  ...{ щ: 'shch', ъ: '', ы: 'y', ь: '', э: 'e', ю: 'yu', я: 'ya' },
  // Ukrainian, Belarusian
  ...{ є: 'ye', і: 'i', ї: 'yi', ґ: 'g', ў: 'w' },
  // Serbian, Macedonian
  ...{ ђ: 'dj', ј: 'j', љ: 'lj', њ: 'nj', ћ: 'c', џ: 'dz', ѓ: 'gj', ќ: 'kj', ѕ: 'dz' },
  // Kazakh, Kyrgyz, Tajik, Tatar, Uzbek
  ...{ ә: 'a', ғ: 'gh', қ: 'q', ң: 'ng', ө: 'o', ұ: 'u', ү: 'u', һ: 'h', ҳ: 'h', ҷ: 'j', ӣ: 'i', ӯ: 'u', җ: 'j' },
}

// ALA-LC for Arabic, Persian, Pashto and Urdu without its marks. Short vowels are seldom written, so most words lack theirs.
const arabic: Readonly<Record<string, string>> = {
  ...{ ا: 'a', أ: 'a', إ: 'i', آ: 'a', ٱ: 'a', ب: 'b', ت: 't', ث: 'th', ج: 'j', ح: 'h', خ: 'kh', د: 'd', ذ: 'dh' },
  ...{ ر: 'r', ز: 'z', س: 's', ش: 'sh', ص: 's', ض: 'd', ط: 't', ظ: 'z', ع: '', غ: 'gh', ف: 'f', ق: 'q', ك: 'k' },
  ...{ ل: 'l', م: 'm', ن: 'n', ه: 'h', و: 'w', ي: 'y', ى: 'a', ة: 'a', ء: '', ؤ: 'u', ئ: 'i', ﷲ: 'allah' },
  // Persian, Pashto, Urdu
  ...{ پ: 'p', چ: 'ch', ژ: 'zh', گ: 'g', ک: 'k', ی: 'y', ہ: 'h', ھ: 'h', ے: 'e', ۓ: 'e', ں: 'n', ٹ: 't', ڈ: 'd' },
  ...{ ڑ: 'r', ړ: 'r', ښ: 'sh', ږ: 'zh', ټ: 't', ډ: 'd', ڼ: 'n', ځ: 'z', څ: 'ts', ې: 'e', ۍ: 'ay', ګ: 'g', ۀ: 'a' },
  // Short vowels where they are written
  ...{ 'َ': 'a', 'ِ': 'i', 'ُ': 'u', 'ً': 'an', 'ٍ': 'in', 'ٌ': 'un' },
}

// Where ALA-LC for Persian, Pashto and Urdu differs from Arabic; letters that only these write tell them.
const persian: Readonly<Record<string, string>> = { ث: 's', ذ: 'z', ض: 'z' }
const isPersian = /[یکگپچژټډړښږڼځڅېۍګےہھںٹڈڑ]/u

const isArabic = /\p{Script=Arabic}/u
const isCyrillic = /\p{Script=Cyrillic}/u
const isHan = /\p{Script=Han}/u

/** Between consonants, و and ي stand for long vowels. The article is a word of its own, and so is `abu`. */
function arabicWord(word: string, own: Readonly<Record<string, string>>): string {
  const [, kunya, named] = /^([أا]بو)(.{3,})$/u.exec(word) ?? []
  if (kunya !== undefined && named !== undefined) return `abu ${arabicWord(named, own)}`
  if (/^ال?ل[هہ]$/u.test(word)) return 'allah'
  const [, article, stem = ''] = /^(ال)?(.*)$/u.exec(word) ?? []
  const latin = Array.from(stem, (letter, index) => {
    const isFirst = index === 0
    // Unlike `abd`, the servant, of which the first vowel is short.
    if (isFirst && letter === 'ع') return stem[1] === 'ا' ? 'ae' : 'a'
    if (!isFirst && letter === 'و') return 'u'
    if (!isFirst && (letter === 'ي' || letter === 'ی')) return 'i'
    return own[letter] ?? arabic[letter] ?? ''
  })
  return article && stem.length > 1 ? `al ${latin.join('')}` : `${article ? 'al' : ''}${latin.join('')}`
}

const most = 4

let library: typeof Pinyin | undefined

/** The library with its dictionary, which takes 11 MB, loaded with the first Chinese word. */
function loadPinyin(): typeof Pinyin {
  library ??= createRequire(import.meta.url)('pinyin-pro') as typeof Pinyin
  return library
}

/** Hanyu Pinyin without tones: a person's family name, then the given name as one word; of longer names each syllable. */
function chineseWord(word: string): string {
  const { pinyin } = loadPinyin()
  const syllables = pinyin(word, { toneType: 'none', type: 'array', surname: 'head' }).map((part) =>
    part.replaceAll('ü', 'u'),
  )
  if (syllables.length > most || syllables.length < 2) return syllables.join(' ')
  return `${syllables[0]} ${syllables.slice(1).join('')}`
}

/** A text with its Arabic, Cyrillic and Chinese words in Latin letters. Other scripts stay as they are. */
export function toLatin(text: string): string {
  const own = isPersian.test(text) ? persian : {}
  return text.replaceAll(/[\p{Script=Arabic}\p{M}]+|\p{Script=Cyrillic}+|\p{Script=Han}+/gu, (word) => {
    if (isHan.test(word)) return chineseWord(word)
    if (isCyrillic.test(word)) return Array.from(word.toLowerCase(), (letter) => cyrillic[letter] ?? letter).join('')
    return isArabic.test(word) ? arabicWord(word, own) : word
  })
}
