// Passkeys: a form with data-passkey asks the browser for a key (create), or to sign with one (get, login), puts the
// answer into its `credential` and sends itself. Options come from the page, for a login from the form's own address.
import { fromBase64url, toBase64url } from "core/base64url.js";
import { filled, gettext } from "core/words.js";

const PROBLEMS = {
  NotAllowedError: () => gettext("It was cancelled, took too long, or this device has no key for this account."),
  InvalidStateError: () => gettext("This device has a key for this account already."),
  SecurityError: () => gettext("Passkeys need a host name: open this page by its name, not by an IP address."),
};

/** Options as JSON, with the binary fields that the browser wants. */
function binary(options) {
  const key = { ...options.publicKey, challenge: fromBase64url(options.publicKey.challenge) };
  if (key.user) key.user = { ...key.user, id: fromBase64url(key.user.id) };
  for (const list of ["allowCredentials", "excludeCredentials"]) {
    if (key[list]) key[list] = key[list].map((one) => ({ ...one, id: fromBase64url(one.id) }));
  }
  return { publicKey: key };
}

/** What the browser answered, as JSON. */
function plain(credential) {
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (credential.response[name]) response[name] = toBase64url(credential.response[name]);
  }
  if (credential.response.getTransports) response.transports = credential.response.getTransports();
  return {
    id: credential.id,
    rawId: toBase64url(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment,
    clientExtensionResults: credential.getClientExtensionResults(),
    response,
  };
}

async function asked(form) {
  if (form.dataset.passkey !== "login") {
    return JSON.parse(document.getElementById("passkey-options").textContent);
  }
  const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(filled(gettext("The server answered %(status)s."), { status: answer.status }));
  return answer.json();
}

async function credentialFor(form) {
  const options = await asked(form);
  if (form.dataset.passkey !== "create") {
    return navigator.credentials.get(binary(options.request_options));
  }
  const wanted = binary(options.creation_options);
  const alone = form.elements.passwordless?.checked;
  wanted.publicKey.authenticatorSelection = {
    ...wanted.publicKey.authenticatorSelection,
    residentKey: alone ? "required" : "discouraged",
    requireResidentKey: Boolean(alone),
    ...(alone && { userVerification: "required" }),
  };
  return navigator.credentials.create(wanted);
}

function complain(form, error) {
  const line = form.querySelector("[data-passkey-problem]");
  line.textContent = PROBLEMS[error.name]?.() ?? error.message;
  line.hidden = false;
}

for (const form of document.querySelectorAll("[data-passkey]")) {
  if (!window.PublicKeyCredential) {
    if (!form.hidden) complain(form, new Error(gettext("This browser has no passkeys, or the connection is not secure.")));
    continue;
  }
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      form.elements.credential.value = JSON.stringify(plain(await credentialFor(form)));
      form.submit();
    } catch (error) {
      complain(form, error);
    }
  });
}
