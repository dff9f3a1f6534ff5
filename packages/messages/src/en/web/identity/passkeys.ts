/** When the browser gives no passkey: in our words, since its own are in whichever language it speaks. */
export const passkeys = {
  unused: 'No passkey was used. Nothing was sent or changed. Try again, or choose another way.',
  notMade: "No passkey was added. Try again when you're ready.",
  alreadyThere: 'This device already has a passkey for your account.',
}
