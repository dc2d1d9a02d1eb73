# Access to the logs.

resource "aws_iam_policy" "logs" {
  policy = <<-EOT
{
  "Version": "2012-10-17",
  "Statement": []
}
EOT
}
