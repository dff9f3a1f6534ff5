/** Errors of passkeys. They replace the browser's own texts, whose language may differ. */
export const passkeys = {
  unused: 'No passkey was used. Nothing was sent or changed. Try again, or choose another way.',
  notMade: "No passkey was added. Try again when you're ready.",
  alreadyThere: 'This device already has a passkey for your account.',
}
