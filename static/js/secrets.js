// Hides secrets before a text leaves the browser, as kb/matching/reading/secrets.py does: the same finders over the
// same table. The table is written by tests/web/secret_rules.py; a test holds both sides equal.
(() => {
  "use strict";

  const RULES = {
// BEGIN RULES
    tokens: [
      ["JWT", "(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,8000}\\.[A-Za-z0-9_-]{8,8000}(?:\\.[A-Za-z0-9_-]{0,2000}){0,3}"],
      ["AWS access key", "(?<![A-Za-z0-9_-])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])"],
      ["Google key", "(?<![A-Za-z0-9_-])(?:AIza[A-Za-z0-9_-]{30,60}|ya29\\.[A-Za-z0-9_.-]{20,500}|GOCSPX-[A-Za-z0-9_-]{20,60})"],
      ["Azure secret", "(?<![A-Za-z0-9_-])[A-Za-z0-9_.~-]{3}[78]Q~[A-Za-z0-9_.~-]{30,40}"],
      ["GitHub token", "(?<![A-Za-z0-9_-])(?:gh[pousr]_[A-Za-z0-9]{20,300}|github_pat_[A-Za-z0-9_]{20,300})"],
      ["GitLab token", "(?<![A-Za-z0-9_-])gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|rtr|ffct)-[A-Za-z0-9_.-]{16,300}"],
      ["Slack token", "(?<![A-Za-z0-9_-])(?:xox[abceoprs]|xapp)-[A-Za-z0-9_-]{10,300}"],
      ["Slack webhook", "(?<![A-Za-z0-9_-])hooks\\.slack\\.com/(?:services|workflows)/[A-Za-z0-9/_-]{10,200}"],
      ["Stripe key", "(?<![A-Za-z0-9_-])(?:[srp]k_(?:live|test)_[A-Za-z0-9]{10,300}|whsec_[A-Za-z0-9+/=]{16,200})"],
      ["Anthropic key", "(?<![A-Za-z0-9_-])sk-ant-[A-Za-z0-9_-]{10,300}"],
      ["OpenAI key", "(?<![A-Za-z0-9_-])(?:sk|sess)-(?=[A-Za-z0-9_*.-]{0,100}[0-9*])[A-Za-z0-9_*-]{16,300}"],
      ["npm token", "(?<![A-Za-z0-9_-])npm_[A-Za-z0-9]{30,60}"],
      ["PyPI token", "(?<![A-Za-z0-9_-])pypi-(?=[a-z-]{0,80}[A-Z0-9_])[A-Za-z0-9_-]{16,500}"],
      ["Hugging Face token", "(?<![A-Za-z0-9_-])hf_[A-Za-z0-9]{24,60}(?![A-Za-z0-9_])"],
      ["Docker token", "(?<![A-Za-z0-9_-])dckr_[a-z]{3}_[A-Za-z0-9_-]{16,100}"],
      ["SendGrid key", "(?<![A-Za-z0-9_-])SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,64}"],
      ["Telegram token", "(?<![A-Za-z0-9_-])[0-9]{8,10}:AA[A-Za-z0-9_-]{30,40}"],
      ["API token", "(?<![A-Za-z0-9_-])(?:dop_v1_[0-9a-f]{32,80}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|dapi[0-9a-f]{32}|hvs\\.[A-Za-z0-9_-]{20,200}|lin_api_[A-Za-z0-9]{20,80}|gsk_[A-Za-z0-9]{30,80}|xai-[A-Za-z0-9]{30,120}|r8_[A-Za-z0-9]{30,60}|sntrys_[A-Za-z0-9_=+/]{30,300}|sbp_[0-9a-f]{40}|pul-[0-9a-f]{40})"],
    ],
    block: "-----BEGIN ([A-Z0-9 ]{1,60})-----",
    blockBody: "(?:[\\s]{0,4}(?:\\\\r)?(?:\\\\n)?[\\s]{0,80}[>|]?[ ]?[A-Za-z0-9+/=]{16,4000}){1,400}",
    longestBlock: 20000,
    authority: "://([^\\s/\"'<>`\\\\]{1,500})",
    longUser: 20,
    placeholderInUrl: "{$<%\u2039",
    names: [
      ["password", "pass", "pass(?<rest>word|wd|phrase|code|)"],
      ["password", "pwd", "pwd"],
      ["key", "key", "key(?:[_-]id)?"],
      ["key", "secret", "secret(?:[_-]?(?:access[_-]?)?key)?"],
      ["token", "token", "token"],
      ["token", "credential", "credentials?"],
      ["token", "jwt", "jwt"],
      ["token", "sig=", "sig(?==)"],
      ["token", "signature=", "signature(?==)"],
      ["token", "sessionid=", "sessionid(?==)"],
      ["token", "session_id=", "session_id(?==)"],
      ["token", "sessid=", "sessid(?==)"],
      ["token", ".sid=", "[.]sid(?==)"],
      ["token", "verifier=", "verifier(?==)"],
    ],
    assigned: "\\\\?[\"']?[ \\t]{0,3}(?:(?<equals>={1,3}>?|:=)[ \\t]{0,3}|:[ \\t]{0,3})(?:[rbfu](?=[\"']))?(?:\\\\(?<escape>[\"'])(?<escaped>[^\"'\\\\\\r\\n]*)|\"(?<double>(?:[^\"\\\\\\r\\n]|\\\\[^\\n])*)|'(?<single>(?:[^'\\\\\\r\\n]|\\\\[^\\n])*)|(?<bare>[^\\s\"'`,;&<>()\\[\\]{}|\\\\]{1,200}))",
    rest: "[^\\s\"'`,;&<>()\\[\\]{}|\\\\]*",
    beforeKey: ["api", "api_", "api-", "app", "app_", "app-", "access", "access_", "access-", "secret", "secret_", "secret-", "private", "private_", "private-", "account", "account_", "account-", "signing", "signing_", "signing-", "encryption", "encryption_", "encryption-", "auth", "auth_", "auth-", "master", "master_", "master-", "license", "license_", "license-"],
    option: "(?<![\\w-])--(?=[a-z])(?:[a-z-]{0,40}-)?(?:password|token|secret|api-?key|access-key|pass)[ ]{1,3}(?<bare>[^\\s\\-\"'`$<\\[{\\u2039][^\\s\"'`]*)",
    headers: [
      ["authorization", "authorization\\\\?[\"']?[ ]{0,3}[:=][ ]{0,3}\\\\?[\"']?(?:bearer|basic|token|digest|negotiate|apikey)?[ ]{0,3}(?<header>(?!(?:(?:bearer|basic|token|digest|negotiate|apikey)[ ]{0,3})?\\u2039)[^\\s\"'\\\\,;]{6,8000})"],
      ["authorization", "(?<![\\w])bearer[ ]{1,3}(?<bearer>(?=[a-z._~+/-]{0,200}[0-9])[a-z0-9._~+/-]{16,8000}={0,2})"],
      ["cookie", "(?<![\\w])(?:set-)?cookie\\\\?[\"']?[ ]{0,3}:[ ]{0,3}\\\\?[\"']?(?<cookie>[\\w][^\\r\\n\"'=]{0,200}=[^\\r\\n\"'\\\\]+)"],
    ],
    ordinary: "none null nil undefined true false required invalid missing expired empty redacted hidden masked filtered unset default string str text bytes int number object optional error failed unknown yes no not wrong incorrect rejected denied revoked blank password passwd secret token key value test example changeme your the is was has must should cannot can could may and or for in to of a an this that with from when if set use see got expected unexpected",
    before: ["unexpected ", "unknown ", "illegal ", "expected ", "invalid ", "duplicate ", "unexpected_"],
    path: "[a-z_][\\w]*(?:\\.[a-z_][\\w]*)+",
    nameOnly: "[a-z_-]{0,40}?(?:password|passwd|pwd|pass|passphrase|key|secret|token|credentials?|jwt)",
    placeholder: "$<{%[(\u2039",
    shortest: 6,
    longestLook: 60,
    sequence: "(?:(?:\\x1b|\\^\\[|\\\\x1[bB]|\\\\u001[bB]|\\\\u\\{1[bB]\\}|\\\\033|\\\\e(?=[\\[\\]])|\u241b)(?:\\[[0-?]{0,40}[ -/]{0,4}[@-~]|\\][^\\x07\\x1b\\\\^]{0,2000}(?:\\x07|(?:\\x1b|\\^\\[|\\\\x1[bB]|\\\\u001[bB]|\\\\u\\{1[bB]\\}|\\\\033|\\\\e(?=[\\[\\]])|\u241b)\\\\|\\\\a|\\\\x07|\\^G)?|(?<=\\x1b)[()*+][0-9A-Za-z]|(?<=\\x1b)[PX^_][^\\x1b]{0,2000}(?:\\x1b\\\\)?|(?<=\\x1b)[ -~]?)|\\x9b[0-?]{0,40}[ -/]{0,4}[@-~])+",
// END RULES
  };

  // What Python calls a space and a letter or digit.
  const SPACE = "\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
  const expression = (source, flags) =>
    new RegExp(source.replaceAll("\\s", SPACE).replaceAll("\\w", "\\p{L}\\p{N}_"), `u${flags}`);
  const TOKENS = RULES.tokens.map(([kind, source]) => [kind, expression(source, "g")]);
  const BLOCK = expression(RULES.block, "g");
  const BLOCK_BODY = expression(RULES.blockBody, "y");
  const AUTHORITY = expression(RULES.authority, "g");
  const NAMES = RULES.names.map(([kind, sign, name]) => [kind, sign, expression(name + RULES.assigned, "y")]);
  const REST = expression(RULES.rest, "y");
  const OPTION = expression(RULES.option, "g");
  const HEADERS = RULES.headers.map(([kind, source]) => [kind, expression(source, "g")]);
  const ORDINARY = new Set(RULES.ordinary.split(" "));
  const PATH = expression(`^(?:${RULES.path})$`, "");
  const NAME_ONLY = expression(`^(?:${RULES.nameOnly})$`, "");
  const SEQUENCE = expression(RULES.sequence, "g");
  const VALUES = ["escaped", "double", "single", "bare"];
  const DIGIT = /\p{Nd}/u;
  const LETTER = /\p{L}/u;
  const LINE = /[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+/g;

  function matchAt(pattern, text, at) {
    pattern.lastIndex = at;
    return pattern.exec(text);
  }

  function* tokens(text) {
    for (const [kind, pattern] of TOKENS) {
      for (const found of text.matchAll(pattern)) yield [found.index, found.index + found[0].length, kind];
    }
  }

  function* blocks(text) {
    const last = text.lastIndexOf("-----END ");
    const within = (word, from) => {
      const at = text.slice(from, from + RULES.longestBlock).indexOf(word);
      return at < 0 ? -1 : from + at;
    };
    let position = 0;
    for (let found; (found = matchAt(BLOCK, text, position)); ) {
      const head = BLOCK.lastIndex;
      const end = head <= last ? within("-----END ", head) : -1;
      const close = end < 0 ? -1 : within("-----", end + 9);
      if (close >= 0) position = close + 5;
      else position = matchAt(BLOCK_BODY, text, head) ? BLOCK_BODY.lastIndex : head;
      const kind = found[1].includes("PRIVATE") ? "private key" : found[1].includes("CERT") ? "certificate" : "PEM block";
      if (position > head) yield [found.index, position, kind];
    }
  }

  function* inUrls(text) {
    if (!text.includes("://") || !text.includes("@")) return;
    for (const found of text.matchAll(AUTHORITY)) {
      const start = found.index + 3;
      const at = found[1].lastIndexOf("@");
      if (at < 0) continue;
      const colon = found[1].slice(0, at).indexOf(":");
      const user = found[1].slice(0, at);
      if (colon >= 0 && colon + 1 < at && !RULES.placeholderInUrl.includes(user[colon + 1])) {
        yield [start + colon + 1, start + at, "password in a URL"];
      } else if (colon < 0 && [...user].length >= RULES.longUser && DIGIT.test(user)) {
        yield [start, start + at, "token in a URL"];
      }
    }
  }

  // Whether a word is really that of a secret: "key" and "pass" alone are not.
  function isName(low, found) {
    const at = found.index;
    if (low.startsWith("key", at)) return RULES.beforeKey.some((word) => low.endsWith(word, at));
    return !low.startsWith("pass", at) || Boolean(found.groups.rest) || low.endsWith("_", at) || low.endsWith("-", at);
  }

  // Whether a value is neither a placeholder nor one of the words that stand there in error messages.
  function mayBeSecret(value) {
    if (!value || RULES.placeholder.includes(value[0]) || !/[^*.xX\u2022\-_ ]/.test(value)) return false;
    if (ORDINARY.has(value.toLowerCase().replace(/^[.,:;!?]+|[.,:;!?]+$/g, ""))) return false;
    return value.length >= RULES.shortest || !/^\p{Nd}+$/u.test(value);
  }

  // Whether name and value are a line of their own, as in YAML.
  function isAlone(low, start, end) {
    const from = Math.max(0, start - 60);
    const near = low.slice(from, start);
    const line = near.lastIndexOf("\n") + 1;
    const before = from > 0 && line === 0 ? "" : near.slice(line).replace(/^[ -]+|[ -]+$/g, "");
    return !before.includes(" ") && ["", "\r", "\n"].includes(low.slice(end, end + 1));
  }

  function isMixed(value) {
    return [...value].length >= RULES.shortest && DIGIT.test(value) && LETTER.test(value);
  }

  function named(text, low, found) {
    const group = VALUES.find((name) => found.groups[name] !== undefined);
    let end = found.index + found[0].length;
    const start = end - found.groups[group].length;
    const value = text.slice(start, end);
    if (RULES.before.some((word) => low.endsWith(word, found.index))) return null;
    if (!isName(low, found) || !mayBeSecret(value)) return null;
    if (group !== "bare") return value.includes(" ") && !DIGIT.test(value) ? null : [start, end];
    const word = low.slice(start, end);
    if (low[end] === "(" || low[end] === "[" || PATH.test(word) || NAME_ONLY.test(word)) return null;
    if (!found.groups.equals && !isAlone(low, found.index, end) && !isMixed(value)) return null;
    matchAt(REST, low, end);
    end = REST.lastIndex;
    return [start, end];
  }

  function* behindNames(text, low) {
    for (const [kind, sign, pattern] of NAMES) {
      let at = low.indexOf(sign);
      while (at >= 0) {
        let next = at + sign.length;
        const found = matchAt(pattern, low, at);
        const end = pattern.lastIndex;
        const span = found && named(text, low, found);
        if (span) {
          yield [...span, kind];
          next = span[1];
        } else if (found && end > next + RULES.longestLook) next = end;
        at = low.indexOf(sign, next);
      }
    }
  }

  function* values(text) {
    let low = text.toLowerCase();
    if (low.length !== text.length) low = text.replaceAll("\u0130", "i").toLowerCase();
    yield* behindNames(text, low);
    for (const found of low.matchAll(OPTION)) {
      const end = found.index + found[0].length;
      yield [end - found.groups.bare.length, end, found[0].includes("pass") ? "password" : "token"];
    }
    for (const [kind, pattern] of HEADERS) {
      for (const found of low.matchAll(pattern)) {
        const end = found.index + found[0].length;
        yield [end - Object.values(found.groups)[0].length, end, kind];
      }
    }
  }

  const found = (text) => [...blocks(text), ...tokens(text), ...inUrls(text), ...values(text)];

  // Secrets that are seen only without the control sequences before them or inside of them.
  function foundInColor(text) {
    const begins = [];
    const offsets = [];
    let plain = "";
    let position = 0;
    const keep = (end) => {
      if (end <= position) return;
      begins.push(plain.length);
      offsets.push(position);
      plain += text.slice(position, end);
    };
    for (const sequence of text.matchAll(SEQUENCE)) {
      keep(sequence.index);
      position = sequence.index + sequence[0].length;
    }
    if (position === 0) return [];
    keep(text.length);
    const place = (column) => {
      let [low, high] = [0, begins.length];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (begins[middle] <= column) low = middle;
        else high = middle;
      }
      return offsets[low] + column - begins[low];
    };
    return found(plain)
      .filter(([start, end]) => end > start)
      .map(([start, end, kind]) => [place(start), place(end - 1) + 1, kind]);
  }

  // The text with a mark in the place of each secret, and how many there were. Lines stay lines.
  function mask(text) {
    const merged = [];
    const spans = [...found(text), ...foundInColor(text)].sort((one, other) => one[0] - other[0] || other[1] - one[1]);
    for (const [start, end, kind] of spans) {
      const last = merged.at(-1);
      if (last && start < last[1]) last[1] = Math.max(last[1], end);
      else if (end > start) merged.push([start, end, kind]);
    }
    let masked = "";
    let position = 0;
    for (const [start, end, kind] of merged) {
      let mark = text.slice(start, start + 1).search(LINE) === 0 ? `\u2039${kind}\u203a` : "";
      const hidden = text.slice(start, end).replace(LINE, () => {
        const shown = mark;
        mark = "";
        return shown;
      });
      masked += text.slice(position, start) + hidden;
      position = end;
    }
    return { text: masked + text.slice(position), count: merged.length };
  }

  globalThis.faultbook = { ...globalThis.faultbook, mask };
})();
