/**
 * Abbreviations that ICU reads as time zones and the IANA database does not know. Each names several zones: BST is summer in
 * London, and Bangladesh to ICU.
 */
const ambiguous =
  /^(?:ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|SystemV\/.*)$/i

/**
 * True for a name of the IANA time zone database that this program's Intl knows, in any case; aliases such as Asia/Calcutta
 * count. False for offsets such as +05:30, for abbreviations such as BST, and for Etc/Unknown, which browsers report where
 * the device's zone is not known.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name) || ambiguous.test(name) || /^Etc\/Unknown$/i.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== 'Etc/Unknown'
  } catch {
    return false
  }
}
