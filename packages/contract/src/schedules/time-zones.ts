/**
 * Abbreviations that ICU accepts as time zones but the IANA database does not list. Each is ambiguous: BST is British
 * Summer Time, but Bangladesh to ICU.
 */
const ambiguousPattern =
  /^(?:ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*)$/i

/**
 * Reports whether a name, in any case, is in the IANA time zone database of this program's Intl, aliases such as
 * Asia/Calcutta included. False for offsets such as +05:30, for abbreviations such as BST, and for Etc/Unknown, which
 * browsers report if the device's zone is unknown.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name) || ambiguousPattern.test(name) || /^Etc\/Unknown$/i.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== 'Etc/Unknown'
  } catch {
    return false
  }
}
