import { readTable } from './letter-table.ts'

// Hepburn romanisation as in Japanese passports, without long vowels.
const katakana = readTable(`
  ア a イ i ウ u エ e オ o カ ka キ ki ク ku ケ ke コ ko サ sa シ shi ス su セ se ソ so タ ta チ chi ツ tsu テ te ト to
  ナ na ニ ni ヌ nu ネ ne ノ no ハ ha ヒ hi フ fu ヘ he ホ ho マ ma ミ mi ム mu メ me モ mo ヤ ya ユ yu ヨ yo
  ラ ra リ ri ル ru レ re ロ ro ワ wa ヰ i ヱ e ヲ o ン n ガ ga ギ gi グ gu ゲ ge ゴ go ザ za ジ ji ズ zu ゼ ze ゾ zo
  ダ da ヂ ji ヅ zu デ de ド do バ ba ビ bi ブ bu ベ be ボ bo パ pa ピ pi プ pu ペ pe ポ po ヴ vu
  ァ *a ィ *i ゥ *u ェ *e ォ *o ャ *ya ュ *yu ョ *yo ヮ wa ー - ヽ - ヶ ga ヵ ka
`)
const hiraganaToKatakana = 0x60

/** Matches a text that consists of kana. */
export const isKana = /^[\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u

export function kanaWord(word: string): string {
  const text = word
    .normalize('NFC')
    .replaceAll(/[ぁ-ゖ]/gu, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + hiraganaToKatakana))
  const latin = Array.from(text, (letter) => katakana[letter] ?? letter).join('')
  return (
    latin
      // A small letter, marked by `*` in the table, replaces the vowel before it.
      .replaceAll(/(sh|ch|j)i\*y?([aueo])/g, '$1$2')
      .replaceAll(/([kgnhbpmr])i\*y([auo])/g, '$1y$2')
      .replaceAll(/([fvdt])[eu]\*([aieo])/g, '$1$2')
      .replaceAll('*', '')
      .replaceAll(/ッ(?=ch)/g, 't')
      .replaceAll(/ッ([a-z])/g, '$1$1')
      .replaceAll('ッ', '')
      .replaceAll(/ou|oo/g, 'o')
      .replaceAll('uu', 'u')
      .replaceAll(/n(?=[bmp])/g, 'm')
  )
}
