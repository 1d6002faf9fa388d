// The one page for learners and followers. The address says which: ?code=… joins a class, ?follow=… follows a presenter.

import { take_part } from "./class.js";

const page = document.getElementById("page");
const asked = new URLSearchParams(location.search);

if (asked.has("follow")) import("./follow.js").then(({ watch }) => watch(page, asked.get("follow")));
else take_part(page, asked.get("code") || "");
